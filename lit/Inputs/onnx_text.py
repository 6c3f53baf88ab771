"""onnx_text.py IN -o OUT: encodes a ModelProto written as protobuf text."""
import subprocess
import sys

source, _, output = sys.argv[1:4]
with open(source, "rb") as model, open(output, "wb") as binary:
    sys.exit(subprocess.run(
        ["protoc", "--encode=onnx.ModelProto", "-I/usr/include",
         "/usr/include/onnx/onnx.proto"],
        stdin=model, stdout=binary).returncode)
