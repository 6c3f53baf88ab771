// The attributes that importers and passes leave on modules, functions,
// arguments and ops for later passes: their meanings, places, writers and
// readers. Annotations.h has their names and accessors.
#ifndef TENON_ANNOTATIONS_TD
#define TENON_ANNOTATIONS_TD

include "dialects/tenon/TenonBase.td"

// Annotations that stay on modules to the last phase are views of builtin
// attributes, so that tools without our dialect can read the text of that
// phase.

def Tenon_VariantAttr : AttrDef<Tenon_Dialect, "Variant"> {
  let mnemonic = "variant";
  let summary = "Which sizes of which function a variant is made for";
  let description = [{
    `#tenon.variant<1 of @main sizes {batch = 8}>`. Variants of one function are numbered from 1; a call reports the number of the variant that ran, or 0 if none did.
  }];
  let parameters = (ins "int64_t":$number, "mlir::FlatSymbolRefAttr":$of, "DimSizesAttr":$sizes);
  let assemblyFormat = "`<` $number `of` $of `sizes` $sizes `>`";
  let genVerifyDecl = 1;
}

/// `writers` and `readers` are names of sources without their ending. The house rule `annotations_declared` compares them with the sources.
class Tenon_Annotation<string key, string place, string type, list<string> writers, list<string> readers>
    : DialectAttr<Tenon_Dialect, CPred<"::llvm::isa<" # type # ">($_self)">, "`tenon." # key # "` of " # place> {
  let storageType = type;
  let returnType = type;
  string meaning = "";
  let description = meaning # "\n    * Type: `" # type # "`\n    * Written by: " # !interleave(writers, ", ") #
                    "\n    * Read by: " # !if(!empty(readers), "people and tests", !interleave(readers, ", ")) # "\n";
}

def Tenon_NameAnnotation : Tenon_Annotation<"name", "an argument or a result", "mlir::StringAttr",
    ["ExposeIntermediates", "ModelImporter"], ["DescribeGraph", "DescribeKernels", "DescribeMlir", "ModelFacts", "Reference", "SizeForms"]> {
  let meaning = [{
    The name that the model has for an input or an output.

    Example:
    ```mlir
    func.func @main(%x: tensor<4xf32> {tenon.name = "x"}) -> (tensor<4xf32> {tenon.name = "y"}) {
      return %x : tensor<4xf32>
    }
    ```
  }];
}

def Tenon_DimsAnnotation : Tenon_Annotation<"dims", "an argument", "tenon::DimsAttr", ["ModelImporter"],
    ["Annotations", "DescribeMlir", "DispatchVariants", "ModelFacts", "PadDims", "SizeForms", "SpecializeVariants", "Variants"]> {
  let meaning = [{
    A name or a number for each extent of an input. A name belongs to a dynamic extent, or to one that a flag or a variant has fixed; extents of one name
    are equal. An extent with the empty name has no name.

    * (C1) there is an entry for each extent
    * (C2) a number equals the extent in the type

    Example:
    ```mlir
    func.func @main(%x: tensor<?x4xf32> {tenon.dims = ["batch", 4]}) {
      return
    }
    ```
  }];
}

def Tenon_DefaultValueAnnotation : Tenon_Annotation<"default_value", "an argument", "mlir::DenseElementsAttr", ["ModelImporter"],
    ["Annotations", "DescribeMlir", "ModelFacts"]> {
  let meaning = [{
    The value of an input that a call leaves out.

    * (C1) the value has the argument's rank and element type, and the extents that the type knows
    * (C2) the elements are inside `tenon.input_range`
    * (C3) the value has at most 1048576 bytes

    Example:
    ```mlir
    func.func @main(%x: tensor<f32> {tenon.default_value = dense<1.0> : tensor<f32>, tenon.input_range = array<f32: 0.0, 1.0>}) {
      return
    }
    ```
  }];
}

def Tenon_InputRangeAnnotation : Tenon_Annotation<"input_range", "an argument", "tenon::InputRangeAttr", ["ModelImporter"],
    ["Annotations", "DescribeMlir", "ModelFacts"]> {
  let meaning = [{
    The least and the greatest value that elements of an input may have. A call with another value is refused.

    * (C1) the bounds are of the argument's element type: `array<f32: ..>` or `array<i64: ..>`
    * (C2) the least is at most the greatest
  }];
}

def Tenon_RangesAnnotation : Tenon_Annotation<"ranges", "a module", "tenon::DimRangesAttr", ["HuggingFaceImporter", "OnnxInputs", "TfInputs"],
    ["ModelFacts", "TfInputs", "Variants"]> {
  let meaning = [{
    The sizes that the user allows for named extents: at least the first number, at most the second, and a multiple of the third.

    Example:
    ```mlir
    module attributes {tenon.ranges = {batch = array<i64: 8, 32, 8>}} {
    }
    ```
  }];
}

def Tenon_ProducerAnnotation : Tenon_Annotation<"producer", "a module", "mlir::StringAttr", ["ModelImporter"], []> {
  let meaning = [{
    The program that wrote the model, according to the model.

    Example:
    ```mlir
    module attributes {tenon.producer = "pytorch 2.9", tenon.source = "model.onnx"} {
    }
    ```
  }];
}

def Tenon_SourceAnnotation : Tenon_Annotation<"source", "a module", "mlir::StringAttr", ["ModelImporter"], []> {
  let meaning = [{
    The file of the model.
  }];
}

def Tenon_MachineAnnotation : Tenon_Annotation<"machine", "a module", "tenon::MachineAttr", ["Compiler", "LowerDeviceFusions"], ["Machine"]> {
  let meaning = [{
    The machine that code is generated for. A module without it is compiled for a machine with AVX2. `tenon-convert-to-llvm` removes it.

    Example:
    ```mlir
    module attributes {tenon.machine = #tenon.machine<vector_bytes = 32, registers = 16, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {
    }
    ```
  }];
}

def Tenon_OnDeviceAnnotation : Tenon_Annotation<"on_device", "a fusion", "mlir::UnitAttr", ["AssignSides"],
    ["AssignSides", "InsertTransfers", "LowerDeviceFusions", "LowerFusions", "PlanDeviceKernels", "PlanKernels", "SplitJoins"]> {
  let meaning = [{
    The fusion's kernel runs on the device. A fusion without it is computed by the host.

    Example:
    ```mlir
    func.func @main(%x: memref<4xf32>, %y: memref<4xf32>) {
      tenon.fusion map ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) attributes {tenon.on_device} {
      ^bb0(%a: tensor<4xf32>):
        %0 = tenon.negate %a : (tensor<4xf32>) -> tensor<4xf32>
        tenon.yield %0 : tensor<4xf32>
      }
      return
    }
    ```
  }];
}

def Tenon_PlanAnnotation : Tenon_Annotation<"plan", "a fusion", "mlir::Attribute", ["PlanDeviceKernels", "PlanKernels"], ["KernelPlan"]> {
  let meaning = [{
    The plan of the fusion's kernel: one of the attributes in `KernelPlan.td`, or an array of tiles. The fusion verifies that it fits its kind.

    Example:
    ```mlir
    func.func @main(%x: tensor<4xf32>, %out: tensor<4xf32>) -> tensor<4xf32> {
      %0 = tenon.fusion map ins(%x : tensor<4xf32>) outs(%out : tensor<4xf32>) attributes {tenon.plan = #tenon.general} {
      ^bb0(%a: tensor<4xf32>):
        %1 = tenon.negate %a : (tensor<4xf32>) -> tensor<4xf32>
        tenon.yield %1 : tensor<4xf32>
      } -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```
  }];
}

def Tenon_PadAnnotation : Tenon_Annotation<"pad", "a module", "tenon::DimSizesAttr", ["Variants"], ["Annotations", "PadDims"]> {
  let meaning = [{
    Multiples to which named extents are padded. `tenon-pad-dims` removes it.

    * (C1) the multiples are positive

    Example:
    ```mlir
    module attributes {tenon.pad = {seq = 8}, tenon.specialize = [{batch = 1}, {batch = 8} ]} {
    }
    ```
  }];
}

def Tenon_SpecializeAnnotation : Tenon_Annotation<"specialize", "a module", "tenon::ArrayOf<tenon::DimSizesAttr>", ["Variants"], ["SpecializeVariants"]> {
  let meaning = [{
    The sizes for which functions get variants. `tenon-specialize-variants` removes it.
  }];
}

def Tenon_VariantAnnotation : Tenon_Annotation<"variant", "a function", "tenon::VariantAttr", ["SpecializeVariants"],
    ["Annotations", "DispatchVariants", "ModelFacts"]> {
  let meaning = [{
    The function is a variant of another one for fixed sizes. `tenon-dispatch-variants` adds the choice between variants and removes the attribute.

    * (C1) the module has the other function
    * (C2) each size belongs to a named extent of the other function's inputs

    Example:
    ```mlir
    func.func @main(%x: tensor<?x4xf32> {tenon.dims = ["batch", 4]}) {
      return
    }
    func.func @main.variant1(%x: tensor<8x4xf32> {tenon.dims = ["batch", 4]}) attributes {tenon.variant = #tenon.variant<1 of @main sizes {batch = 8}>} {
      return
    }
    ```
  }];
}

def Tenon_GroupAnnotation : Tenon_Annotation<"group", "an op", "tenon::CountAttr", ["PlanFusions"], ["Annotations", "FormFusions"]> {
  let meaning = [{
    Ops with equal numbers become one fusion. `tenon-form-fusions` removes it.

    * (C1) the op's results are tensors

    Example:
    ```mlir
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = tenon.negate %x {tenon.group = 0} : (tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```
  }];
}

def Tenon_NumInputsAnnotation : Tenon_Annotation<"num_inputs", "a function", "tenon::CountAttr", ["PlaceBuffers"],
    ["Annotations", "AssignSides", "DescribeKernels", "Device", "DispatchVariants", "InsertTransfers", "MakeEntries", "ModelFacts", "PlaceConstants"]> {
  let meaning = [{
    The number of inputs of a placed function that gets entries. Its arguments are the call, inputs, outputs, arena, weights, state, and the extents of
    the outputs.

    * (C1) the function has `tenon.num_outputs` too
    * (C2) the number of arguments is the sum of the two numbers plus five
    * (C3) the call is a pointer, inputs are contiguous memrefs or numbers, outputs are contiguous memrefs; arena, weights and state are bytes, extents are i64

    Example:
    ```mlir
    func.func @main(%call: !llvm.ptr, %x: memref<?xf32> {tenon.dims = ["n"]}, %y: memref<?xf32> {tenon.output, tenon.bounded}, %arena: memref<?xi8>,
                    %weights: memref<?xi8>, %state: memref<?xi8>, %extents: memref<?xi64>)
        attributes {tenon.num_inputs = 1, tenon.num_outputs = 1, tenon.arena_bytes = 64, tenon.uses_state} {
      return
    }
    ```
  }];
}

def Tenon_NumOutputsAnnotation : Tenon_Annotation<"num_outputs", "a function", "tenon::CountAttr", ["PlaceBuffers"],
    ["Annotations", "DescribeKernels", "Device", "DispatchVariants", "MakeEntries", "ModelFacts"]> {
  let meaning = [{
    The number of outputs of a placed function. The function has `tenon.num_inputs` too.
  }];
}

def Tenon_ArenaBytesAnnotation : Tenon_Annotation<"arena_bytes", "a function", "tenon::CountAttr", ["PlaceBuffers", "PlaceConstants"], ["DescribeKernels", "ModelFacts", "PlaceConstants"]> {
  let meaning = [{
    The size of a placed function's arena, if it is the same for all sizes of the inputs.
  }];
}

def Tenon_ThreadsAnnotation : Tenon_Annotation<"threads", "a function", "tenon::CountAttr", ["MakeDeviceEntries"], ["DeviceCalls", "DeviceCode"]> {
  let meaning = [{
    The function of the module `@device` is the entry of a kernel, whose blocks have so many threads.

    Example:
    ```mlir
    module @device {
      func.func @kernel_entry(%faults: !llvm.ptr, %x: !llvm.ptr, %tasks: i64) attributes {tenon.threads = 256} {
        return
      }
    }
    ```
  }];
}

def Tenon_KeepsRegistersAnnotation : Tenon_Annotation<"keeps_registers", "a function", "mlir::UnitAttr", ["LowerDeviceFusions", "MakeDeviceEntries"],
    ["DeviceCalls", "MakeDeviceEntries"]> {
  let meaning = [{
    Threads of the device kernel, or of the kernel with this entry, hold a tile in registers. The compiler of the driver must not spill some of them to
    make room for another block.

    Example:
    ```mlir
    module @device {
      func.func @kernel_entry(%faults: !llvm.ptr, %x: !llvm.ptr, %tasks: i64) attributes {tenon.threads = 256, tenon.keeps_registers} {
        return
      }
    }
    ```
  }];
}

def Tenon_UsesStateAnnotation : Tenon_Annotation<"uses_state", "a function", "mlir::UnitAttr", ["PlaceBuffers"], ["ModelFacts"]> {
  let meaning = [{
    The placed function reads or writes a state.
  }];
}

def Tenon_OutputAnnotation : Tenon_Annotation<"output", "an argument", "mlir::UnitAttr", ["PlaceBuffers"], ["Annotations"]> {
  let meaning = [{
    The placed function writes an output to this argument.

    * (C1) the argument is a memref
  }];
}

def Tenon_BoundedAnnotation : Tenon_Annotation<"bounded", "an argument", "mlir::UnitAttr", ["PlaceBuffers"],
    ["DispatchVariants", "MakeEntries", "ModelFacts"]> {
  let meaning = [{
    The extents of this output are known only at run time; the plan function computes upper bounds.

    * (C1) the argument has `tenon.output` too
  }];
}

def Tenon_WeightBytesAnnotation : Tenon_Annotation<"weight_bytes", "a module", "tenon::CountAttr", ["BlobLayout"], ["ModelFacts"]> {
  let meaning = [{
    The size of the blob of weights.

    Example:
    ```mlir
    module attributes {tenon.weight_bytes = 128, tenon.state_bytes = 64} {
    }
    ```
  }];
}

def Tenon_StateBytesAnnotation : Tenon_Annotation<"state_bytes", "a module", "tenon::CountAttr", ["BlobLayout"], ["ModelFacts"]> {
  let meaning = [{
    The size of the blob of states.
  }];
}

def Tenon_LaunchNumberAnnotation : Tenon_Annotation<"launch_number", "a launch", "tenon::CountAttr", ["ConvertToLLVM"], ["ConvertToLLVM", "DeviceCalls"]> {
  let meaning = [{
    The row of a launch in the table of launches.

    Example:
    ```mlir
    func.func private @kernel(!llvm.ptr, memref<4xf32>, index, index)
    func.func @main(%call: !llvm.ptr, %x: memref<4xf32>, %n: index) {
      tenon.launch @kernel tasks %n flops %n bytes %n (%x) {tenon.launch_number = 0} : memref<4xf32>
      return
    }
    ```
  }];
}

def Tenon_LaunchesAnnotation : Tenon_Annotation<"launches", "a module", "tenon::ArrayOf<tenon::LaunchRowAttr>", ["Compiler", "ConvertToLLVM"],
    ["Artifact", "Compiler", "ConvertToLLVM"]> {
  let meaning = [{
    The table of launches: the kernel of each and the model nodes that the kernel computes. Versions of a module for several CPUs share it: each version adds its rows after those of the version before.

    Example:
    ```mlir
    module attributes {tenon.launches = [[@map.negate.0, loc("node")] ], tenon.sites = ["node \22g\22 (Gather)"]} {
    }
    ```
  }];
}

def Tenon_SitesAnnotation : Tenon_Annotation<"sites", "a module", "tenon::ArrayOf<mlir::StringAttr>", ["Compiler", "ConvertToLLVM"],
    ["Artifact", "Compiler", "ConvertToLLVM"]> {
  let meaning = [{
    The sites where a run can fault, as texts. They are numbered and shared like the rows of `tenon.launches`.
  }];
}

#endif // TENON_ANNOTATIONS_TD
