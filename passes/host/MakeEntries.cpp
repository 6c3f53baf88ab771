// Makes the artifact's entry functions `(tenon_call *) -> int32_t` for each
// graph function. An entry reads the call, makes memrefs of its pointers and
// extents, and passes them to the placed function or its plan function.
#include "passes/host/Passes.h"

#include "dialects/tenon/Annotations.h"
#include "runtime/tenon_abi.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include <cstddef>

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_MAKEENTRIES
#include "passes/host/Passes.h.inc"

namespace {
/// Reads and writes the fields of the call.
struct Call {
  OpBuilder &b;
  Location loc;
  const LLVMTypeConverter &converter;
  Value call;

  Type pointer() { return LLVM::LLVMPointerType::get(b.getContext()); }
  Value address(Value base, int64_t bytes) {
    return LLVM::GEPOp::create(b, loc, pointer(), b.getI8Type(), base,
                               ArrayRef<LLVM::GEPArg>{int32_t(bytes)});
  }
  Value field(size_t offset, Type type) {
    return LLVM::LoadOp::create(b, loc, type, address(call, offset));
  }
  Value element(Value array, int64_t number, Type type) {
    return LLVM::LoadOp::create(b, loc, type, address(array, number * 8));
  }
  Value number(int64_t value) {
    return LLVM::ConstantOp::create(b, loc, b.getI64Type(),
                                    b.getI64IntegerAttr(value));
  }

  /// A memref descriptor with address `data` and offset 0, without extents yet.
  MemRefDescriptor over(MemRefType type, Value data) {
    auto descriptor =
        MemRefDescriptor::poison(b, loc, converter.convertType(type));
    descriptor.setAllocatedPtr(b, loc, data);
    descriptor.setAlignedPtr(b, loc, data);
    descriptor.setOffset(b, loc, number(0));
    return descriptor;
  }

  /// A contiguous memref of `type` at `data`, with dynamic extents read from
  /// `dims`.
  Value memref(MemRefType type, Value data, Value dims) {
    MemRefDescriptor descriptor = over(type, data);
    Value stride = number(1);
    auto [strides, offset] = type.getStridesAndOffset();
    for (int64_t d = type.getRank() - 1; d >= 0; --d) {
      Value size = type.isDynamicDim(d) ? element(dims, d, b.getI64Type())
                                        : number(type.getDimSize(d));
      descriptor.setSize(b, loc, d, size);
      descriptor.setStride(
          b, loc, d,
          ShapedType::isDynamic(strides[d]) ? stride : number(strides[d]));
      if (d > 0)
        stride = LLVM::MulOp::create(b, loc, stride, size);
    }
    return cast(type, descriptor);
  }
  /// A memref of rank 1 with `size` elements at `data`.
  Value row(MemRefType type, Value data, Value size) {
    MemRefDescriptor descriptor = over(type, data);
    descriptor.setSize(b, loc, 0, size);
    descriptor.setStride(b, loc, 0, number(1));
    return cast(type, descriptor);
  }
  Value cast(Type type, Value descriptor) {
    return UnrealizedConversionCastOp::create(b, loc, type, descriptor)
        .getResult(0);
  }
};

struct MakeEntries : impl::MakeEntriesBase<MakeEntries> {
  void runOnOperation() override {
    SmallVector<func::FuncOp> graphs;
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (annotation::numInputs.isOn(func))
        graphs.push_back(func);
    for (func::FuncOp func : graphs) {
      if (!llvm::all_of(func.getArgumentTypes().slice(1, countInputs(func)),
                        llvm::IsaPred<MemRefType>)) {
        func.emitError("expected memrefs as inputs of a function that gets "
                       "entries");
        return signalPassFailure();
      }
      std::string planName = (func.getName() + ".plan").str();
      auto plan = getOperation().lookupSymbol<func::FuncOp>(planName);
      FunctionType type = planType(func);
      if (!plan || plan.getFunctionType() != type) {
        func.emitError("expected a plan named '")
            << planName << "' of type " << type;
        return signalPassFailure();
      }
      makeRun(func);
      makePlan(func, plan);
      func.setPrivate();
    }
  }

  /// The plan takes the call, the inputs and memory for the outputs' extents.
  static FunctionType planType(func::FuncOp graph) {
    ArrayRef<Type> types = graph.getArgumentTypes();
    SmallVector<Type> planned(types.take_front(1 + countInputs(graph)));
    planned.push_back(types.back());
    return FunctionType::get(graph.getContext(), planned,
                             IndexType::get(graph.getContext()));
  }

  static int64_t countInputs(func::FuncOp func) {
    return annotation::numInputs.of(func).getInt();
  }
  static int64_t countOutputs(func::FuncOp func) {
    return annotation::numOutputs.of(func).getInt();
  }

  /// Makes a function `(!llvm.ptr) -> i32` that computes `body` and returns its
  /// value.
  void makeEntry(func::FuncOp graph, StringRef suffix,
                 llvm::function_ref<Value(Call &)> body) {
    OpBuilder builder(graph);
    Location loc = graph.getLoc();
    LLVMTypeConverter converter(&getContext());
    auto entry = func::FuncOp::create(
        builder, loc, (graph.getName() + suffix).str(),
        builder.getFunctionType(LLVM::LLVMPointerType::get(&getContext()),
                                builder.getI32Type()));
    Block *block = entry.addEntryBlock();
    builder.setInsertionPointToStart(block);
    Call call{builder, loc, converter, block->getArgument(0)};
    Value result = body(call);
    func::ReturnOp::create(builder, loc, result);
  }

  /// The number of extents of all outputs. Appends each output's rank to
  /// `ranks`, with true if the output is bounded.
  static int64_t countExtents(func::FuncOp graph,
                              SmallVector<std::pair<int64_t, bool>> &ranks) {
    int64_t inputs = countInputs(graph), total = 0;
    for (int64_t i = 0; i < countOutputs(graph); ++i) {
      unsigned number = 1 + inputs + i;
      int64_t rank =
          cast<MemRefType>(graph.getArgumentTypes()[number]).getRank();
      ranks.push_back({rank, annotation::bounded.isOn(graph, number)});
      total += rank;
    }
    return total;
  }

  static Value shapesBuffer(Call &call, int64_t total) {
    return LLVM::AllocaOp::create(call.b, call.loc, call.pointer(),
                                  call.b.getI64Type(),
                                  call.number(std::max<int64_t>(1, total)), 8);
  }

  static SmallVector<Value> inputMemrefs(Call &call, func::FuncOp graph,
                                         int64_t first) {
    Value data = call.field(offsetof(tenon_call, inputs), call.pointer());
    Value dims = call.field(offsetof(tenon_call, input_dims), call.pointer());
    SmallVector<Value> memrefs;
    for (int64_t i = 0; i < countInputs(graph); ++i)
      memrefs.push_back(
          call.memref(cast<MemRefType>(graph.getArgumentTypes()[first + i]),
                      call.element(data, i, call.pointer()),
                      call.element(dims, i, call.pointer())));
    return memrefs;
  }

  void makeRun(func::FuncOp graph) {
    makeEntry(graph, ".run_entry", [&](Call &call) -> Value {
      OpBuilder &b = call.b;
      int64_t inputs = countInputs(graph), outputs = countOutputs(graph);
      SmallVector<Value> operands = {call.call};
      llvm::append_range(operands, inputMemrefs(call, graph, 1));
      Value data = call.field(offsetof(tenon_call, outputs), call.pointer());
      Value dims =
          call.field(offsetof(tenon_call, output_dims), call.pointer());
      for (int64_t i = 0; i < outputs; ++i)
        operands.push_back(call.memref(
            cast<MemRefType>(graph.getArgumentTypes()[1 + inputs + i]),
            call.element(data, i, call.pointer()),
            call.element(dims, i, call.pointer())));
      auto bytes =
          cast<MemRefType>(graph.getArgumentTypes()[1 + inputs + outputs]);
      Value unlimited = call.number(INT64_MAX);
      for (size_t field :
           {offsetof(tenon_call, arena), offsetof(tenon_call, weights),
            offsetof(tenon_call, state)})
        operands.push_back(
            call.row(bytes, call.field(field, call.pointer()), unlimited));
      SmallVector<std::pair<int64_t, bool>> ranks;
      int64_t total = countExtents(graph, ranks);
      Value shapes = shapesBuffer(call, total);
      auto shapesType = cast<MemRefType>(graph.getArgumentTypes().back());
      operands.push_back(call.row(shapesType, shapes, call.number(total)));
      // The run overwrites only those extents that the plan did not know.
      int64_t slot = 0;
      for (auto [i, output] : llvm::enumerate(ranks)) {
        if (output.second)
          copyExtents(call, call.element(dims, i, call.pointer()), 0,
                      call.address(shapes, slot * 8), output.first);
        slot += output.first;
      }
      func::CallOp::create(b, call.loc, graph, operands);
      slot = 0;
      for (auto [i, output] : llvm::enumerate(ranks)) {
        if (output.second)
          copyExtents(call, shapes, slot, call.element(dims, i, call.pointer()),
                      output.first);
        slot += output.first;
      }
      return faulted(call);
    });
  }

  /// Returns an i32: 1 if a kernel has recorded a fault, else 0.
  static Value faulted(Call &call) {
    OpBuilder &b = call.b;
    Value code = call.field(offsetof(tenon_call, fault), b.getI32Type());
    Value zero = LLVM::ConstantOp::create(b, call.loc, b.getI32Type(),
                                          b.getI32IntegerAttr(0));
    Value differs =
        LLVM::ICmpOp::create(b, call.loc, LLVM::ICmpPredicate::ne, code, zero);
    return LLVM::ZExtOp::create(b, call.loc, b.getI32Type(), differs);
  }

  /// Copies `rank` extents from `shapes`, beginning at `slot`, to `dims`.
  static void copyExtents(Call &call, Value shapes, int64_t slot, Value dims,
                          int64_t rank) {
    for (int64_t d = 0; d < rank; ++d)
      LLVM::StoreOp::create(call.b, call.loc,
                            call.element(shapes, slot + d, call.b.getI64Type()),
                            call.address(dims, d * 8));
  }

  void makePlan(func::FuncOp graph, func::FuncOp plan) {
    makeEntry(graph, ".plan_entry", [&](Call &call) -> Value {
      OpBuilder &b = call.b;
      SmallVector<Value> operands = {call.call};
      llvm::append_range(operands, inputMemrefs(call, graph, 1));
      SmallVector<std::pair<int64_t, bool>> ranks;
      int64_t total = countExtents(graph, ranks);
      Value shapes = shapesBuffer(call, total);
      operands.push_back(
          call.row(cast<MemRefType>(plan.getArgumentTypes().back()), shapes,
                   call.number(total)));
      Value bytes =
          func::CallOp::create(b, call.loc, plan, operands).getResult(0);
      Value dims =
          call.field(offsetof(tenon_call, output_dims), call.pointer());
      int64_t slot = 0;
      for (auto [i, output] : llvm::enumerate(ranks)) {
        copyExtents(call, shapes, slot, call.element(dims, i, call.pointer()),
                    output.first);
        slot += output.first;
      }
      LLVM::StoreOp::create(
          b, call.loc, call.cast(b.getI64Type(), bytes),
          call.address(call.call, offsetof(tenon_call, arena_bytes)));
      // A plan function that needs computed values runs their kernels, which
      // may fault.
      return faulted(call);
    });
  }
};
} // namespace
} // namespace tenon
