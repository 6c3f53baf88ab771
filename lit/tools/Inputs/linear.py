"""linear.py FOLDER: writes linear.onnx, rows times a 200 x 50 matrix,
infinite.onnx, the same with an infinite weight, large.onnx, the same with a
weight that f16 cannot hold, and open.onnx, an unknown number of rows times a
400 x 400 matrix."""
import pathlib
import struct
import subprocess
import sys

TEXT = """
ir_version: 8
opset_import { domain: "" version: 13 }
graph {
  name: "linear"
  node { input: "x" input: "w" output: "y" name: "product" op_type: "MatMul" }
  initializer { name: "w" dims: 200 dims: 50 data_type: 1 raw_data: "%s" }
  input { name: "x" type { tensor_type { elem_type: 1 shape {
    dim { dim_value: 3 } dim { dim_value: 200 } } } } }
  output { name: "y" type { tensor_type { elem_type: 1 shape {
    dim { dim_value: 3 } dim { dim_value: 50 } } } } }
}
"""


def write(path, weights, text=TEXT):
    raw = struct.pack("<%df" % len(weights), *weights)
    text = text % "".join("\\%03o" % byte for byte in raw)
    path.write_bytes(subprocess.run(
        ["protoc", "--encode=onnx.ModelProto", "-I/usr/include",
         "/usr/include/onnx/onnx.proto"],
        input=text.encode(), stdout=subprocess.PIPE, check=True).stdout)


folder = pathlib.Path(sys.argv[1])
drawn = [(i * 7919 % 2003 - 1001) / 977.0 for i in range(200 * 50)]
write(folder / "linear.onnx", drawn)
write(folder / "infinite.onnx", drawn[:-1] + [float("inf")])
write(folder / "large.onnx", drawn[:-1] + [65520.0])
write(folder / "open.onnx", drawn * 16,
      TEXT.replace("dim_value: 3", 'dim_param: "rows"')
      .replace("dims: 200", "dims: 400").replace("dims: 50", "dims: 400")
      .replace("dim_value: 200", "dim_value: 400")
      .replace("dim_value: 50", "dim_value: 400"))
