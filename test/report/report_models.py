"""Models as MLIR text for tests of the report: names that look like markup, a
network of residual blocks like ResNet-50, and transformer layers without end.
"""

HOSTILE = ["</script><img src=x onerror=\"document.title='owned'\">",
           "<!--<script>", "<b>bold</b>", "a & b \u2028 \u202e c",
           "'\"`${document.title='owned'}"]


class Model:
    """A function `main` whose ops have names."""

    def __init__(self):
        self.weights, self.lines, self.inputs = [], [], []

    def weight(self, *shape):
        name, dims = f"w{len(self.weights)}", "x".join(map(str, shape))
        self.weights.append(
            f"tenon.weight @{name} : tensor<{dims}xf32> {{\n"
            f"  %0 = tenon.constant dense<0.0625> : tensor<{dims}xf32>\n"
            f"  tenon.yield %0 : tensor<{dims}xf32>\n}}")
        value = self.value()
        self.lines.append(f"{value} = tenon.get_weight @{name} : "
                          f"tensor<{dims}xf32>")
        return value, list(shape)

    def value(self):
        return f"%v{len(self.lines)}"

    def input(self, name, *shape):
        value = f"%in{len(self.inputs)}"
        self.inputs.append((value, name, self.type(shape)))
        return value, list(shape)

    @staticmethod
    def type(shape):
        return "tensor<" + "".join(f"{n}x" for n in shape) + "f32>"

    def op(self, name, text, shape):
        """Appends an op; `text` ends before its location."""
        value = self.value()
        self.lines.append(f"{value} = tenon.{text} loc({quoted(name)})")
        return value, shape

    def same(self, name, op, *operands):
        """An elementwise op on values of one shape."""
        types = ", ".join(self.type(shape) for _, shape in operands)
        values = ", ".join(value for value, _ in operands)
        shape = operands[0][1]
        return self.op(name, f"{op} {values} : ({types}) -> {self.type(shape)}",
                       shape)

    def matmul(self, name, a, b):
        shape = [a[1][0], b[1][1]]
        return self.op(
            name, f"dot_general {a[0]}, {b[0]} batch [] x [] contract [1] x "
            f"[0] : ({self.type(a[1])}, {self.type(b[1])}) -> "
            f"{self.type(shape)}", shape)

    def conv(self, name, x, channels, size=1, stride=1):
        """A convolution of [batch, height, width, channels]."""
        w = self.weight(size, size, x[1][3], channels)
        pad = size // 2
        extent = (x[1][1] + 2 * pad - size) // stride + 1
        shape = [x[1][0], extent, extent, channels]
        return self.op(
            name, f"convolution {x[0]}, {w[0]} strides [{stride}, {stride}] "
            f"padding [{pad}, {pad}, {pad}, {pad}] lhs_dilation [1, 1] "
            f"rhs_dilation [1, 1] groups 1 : ({self.type(x[1])}, "
            f"{self.type(w[1])}) -> {self.type(shape)}", shape)

    def norm(self, name, x):
        width = x[1][-1]
        scale, offset = self.weight(width), self.weight(width)
        return self.op(
            name, f"layer_norm {x[0]}, {scale[0]}, {offset[0]} axis "
            f"{len(x[1]) - 1} epsilon 1.0e-5 : ({self.type(x[1])}, "
            f"{self.type(scale[1])}, {self.type(offset[1])}) -> "
            f"{self.type(x[1])}", x[1])

    def transpose(self, name, x):
        shape = x[1][::-1]
        return self.op(name, f"transpose {x[0]} [1, 0] : ({self.type(x[1])}) "
                       f"-> {self.type(shape)}", shape)

    def softmax(self, name, x):
        return self.op(name, f"softmax {x[0]} over {len(x[1]) - 1} : "
                       f"{self.type(x[1])}", x[1])

    def text(self, result, name="y"):
        arguments = ", ".join(
            f"{value}: {kind} {{tenon.name = {quoted(label)}}}"
            for value, label, kind in self.inputs)
        kind = self.type(result[1])
        return "\n".join(
            self.weights +
            [f"func.func @main({arguments}) -> "
             f"({kind} {{tenon.name = {quoted(name)}}}) {{"] +
            ["  " + line for line in self.lines] +
            [f"  return {result[0]} : {kind}", "}", ""])


def quoted(text):
    """A string of MLIR."""
    return '"' + "".join(
        f"\\{byte:02X}" if byte < 0x20 or byte > 0x7e or chr(byte) in '"\\'
        else chr(byte) for byte in text.encode()) + '"'


def hostile():
    model = Model()
    x = model.input(HOSTILE[0], 4, 8)
    for name in HOSTILE:
        x = model.matmul(name, x, model.weight(8, 8))
        x = model.softmax(name, x)
    return model.text(x, HOSTILE[1])


def residual():
    """Bottleneck blocks as in ResNet-50, with few channels."""
    model = Model()
    x = model.input("image", 1, 64, 64, 3)
    x = model.conv("/conv1/Conv", x, 16, 7, 2)
    x = model.same("/relu/Relu", "tanh", x)
    for stage, blocks in enumerate((3, 4, 6, 3), 1):
        for block in range(blocks):
            place = f"/layer{stage}/layer{stage}.{block}"
            stride = 2 if stage > 1 and block == 0 else 1
            wide = 32 << stage
            y = model.conv(f"{place}/conv1/Conv", x, wide // 4)
            y = model.same(f"{place}/relu/Relu", "tanh", y)
            y = model.conv(f"{place}/conv2/Conv", y, wide // 4, 3, stride)
            y = model.same(f"{place}/relu_1/Relu", "tanh", y)
            y = model.conv(f"{place}/conv3/Conv", y, wide)
            if block == 0:
                x = model.conv(f"{place}/downsample/Conv", x, wide, 1, stride)
            x = model.same(f"{place}/Add", "add", y, x)
            x = model.same(f"{place}/relu_2/Relu", "tanh", x)
    shape = [1, x[1][3]]
    x = model.op("/avgpool/GlobalAveragePool",
                 f"reduce add {x[0]} over [1, 2] : ({model.type(x[1])}) -> "
                 f"{model.type(shape)}", shape)
    return model.text(model.matmul("/fc/Gemm", x, model.weight(shape[1], 10)),
                      "logits")


def transformer(nodes):
    """Layers of attention until the model has `nodes` nodes."""
    model = Model()
    x, mask = model.input("embeddings", 16, 32), model.input("mask", 16, 16)
    layer = made = 0
    while made < nodes:
        place = f"/transformer/h.{layer}"
        begin = len(model.lines) - len(model.weights)
        y = model.norm(f"{place}/ln_1/LayerNormalization", x)
        q, k, v = (model.same(f"{place}/attn/{part}/Gelu", "tanh", model.matmul(
            f"{place}/attn/{part}/MatMul", y, model.weight(32, 32)))
            for part in "qkv")
        scores = model.matmul(f"{place}/attn/MatMul", q, model.transpose(
            f"{place}/attn/Transpose", k))
        scores = model.same(f"{place}/attn/Add", "add", scores, mask)
        y = model.matmul(f"{place}/attn/MatMul_1",
                         model.softmax(f"{place}/attn/Softmax", scores), v)
        y = model.matmul(f"{place}/attn/c_proj/MatMul", y,
                         model.weight(32, 32))
        x = model.same(f"{place}/Add", "add", x, y)
        y = model.norm(f"{place}/ln_2/LayerNormalization", x)
        y = model.matmul(f"{place}/mlp/c_fc/MatMul", y, model.weight(32, 64))
        y = model.same(f"{place}/mlp/Tanh", "tanh", y)
        y = model.matmul(f"{place}/mlp/c_proj/MatMul", y,
                         model.weight(64, 32))
        x = model.same(f"{place}/Add_1", "add", x, y)
        made += len(model.lines) - len(model.weights) - begin
        layer += 1
    return model.text(x)


if __name__ == "__main__":
    import sys
    kind, path = sys.argv[1:]
    made = {"hostile": hostile, "residual": residual,
            "transformer": lambda: transformer(2000)}[kind]()
    with open(path, "w", encoding="utf-8") as file:
        file.write(made)
