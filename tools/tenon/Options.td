// Every flag of every verb. Parsing, help, suggestions and shell completion
// come from this table. A flag's Visibility names the verbs that accept it; its
// group is its heading in `tenon help VERB`.
include "llvm/Option/OptParser.td"

def CompileVerb : OptionVisibility;
def RunVerb : OptionVisibility;
def BenchVerb : OptionVisibility;
def VerifyVerb : OptionVisibility;
// Calls of `inspect` without --html, with it, and both.
def InspectPlain : OptionVisibility;
def InspectHtml : OptionVisibility;
def InspectVerb : OptionVisibility;
def TargetsVerb : OptionVisibility;
def HelpVerb : OptionVisibility;
def CompletionVerb : OptionVisibility;
def NoVerb : OptionVisibility;
def CacheVerb : OptionVisibility;
def TokenizeVerb : OptionVisibility;
def GenerateVerb : OptionVisibility;
def TranscribeVerb : OptionVisibility;

defvar Executing = [RunVerb, BenchVerb, VerifyVerb];
// The commands that compile any kind of model, and those that compile
// checkpoints.
defvar Generating = [CompileVerb, RunVerb, BenchVerb, VerifyVerb, InspectHtml];
defvar Texts = [GenerateVerb, TranscribeVerb];
defvar Coding = !listconcat(Generating, Texts);
// The commands that read any kind of model, and those that may take long.
defvar Reading = !listconcat(Generating, [InspectVerb]);
defvar Working = !listconcat(Coding, [InspectVerb]);
defvar Every = [CompileVerb, RunVerb, BenchVerb, VerifyVerb, InspectVerb,
                TargetsVerb, HelpVerb, CompletionVerb, NoVerb, CacheVerb,
                TokenizeVerb, GenerateVerb, TranscribeVerb];

// A flag `--name=VALUE`, and its spelling `--name VALUE`.
multiclass Eq<string prefix, string name, list<OptionVisibility> verbs,
              OptionGroup group, string meta, string help, string values = ""> {
  def NAME : Joined<[prefix], name#"=">, Visibility<verbs>, Group<group>,
             MetaVarName<meta>, HelpText<help>, Values<values>;
  def NAME#_separate : Separate<[prefix], name>, Visibility<verbs>,
                       Group<group>, Alias<!cast<Option>(NAME)>,
                       Flags<[HelpHidden]>;
}
class On<string prefix, string name, list<OptionVisibility> verbs,
         OptionGroup group, string help>
    : Flag<[prefix], name>, Visibility<verbs>, Group<group>, HelpText<help>;

def grp_input : OptionGroup<"input">, HelpText<"Input">;
def grp_output : OptionGroup<"output">, HelpText<"Output">;
def grp_target : OptionGroup<"target">, HelpText<"Target">;
def grp_optimise : OptionGroup<"optimise">, HelpText<"Optimisation">;
def grp_execute : OptionGroup<"execute">, HelpText<"Execution">;
def grp_measure : OptionGroup<"measure">, HelpText<"Measurement">;
def grp_compare : OptionGroup<"compare">, HelpText<"Comparison">;
def grp_generation : OptionGroup<"generation">, HelpText<"Generation">;
def grp_speech : OptionGroup<"speech">, HelpText<"Transcription">;
def grp_print : OptionGroup<"print">, HelpText<"Printing">;
def grp_diagnose : OptionGroup<"diagnose">, HelpText<"Diagnosis">;

// Input
defm shape : Eq<"--", "shape", Reading, grp_input, "NAME:1x3x?x224",
  "Fix the shape of input NAME; '?' keeps an extent dynamic">;
defm dim : Eq<"--", "dim", Reading, grp_input, "NAME=N",
  "Fix the dynamic extent NAME; commands that compile may also bound it: NAME=MIN..MAX[:MULTIPLE]">;
defm context : Eq<"--", "context", [RunVerb, BenchVerb, VerifyVerb, GenerateVerb], grp_input, "NAME=N,..",
  "Choose sizes of context extents, which the states of the model have; repeatable">;
defm specialize : Eq<"--", "specialize", Generating, grp_input, "NAME:N,..",
  "Add a variant for these sizes of dynamic extents, used for inputs of exactly these sizes; repeatable">;
defm pad : Eq<"--", "pad", Generating, grp_input, "NAME:N",
  "Pad a dynamic extent to a multiple of N within the run; repeatable">;
defm signature : Eq<"--", "signature", Generating, grp_input, "NAME",
  "Compile the signature NAME of a SavedModel; may be repeated">;
def all_signatures : On<"--", "all-signatures", [CompileVerb], grp_input,
  "Compile all signatures of a SavedModel into one artifact">;
defm function : Eq<"--", "function", Generating, grp_input, "PATH",
  "Compile a function by its place among a SavedModel's objects (__call__, encoder.encode), may be "
  "repeated; of an artifact: run the function of this name">;
defm tag : Eq<"--", "tag", Generating, grp_input, "TAG,..",
  "Take the graph of a SavedModel that has these tags">;
defm feeds : Eq<"--", "feeds", Generating, grp_input, "TENSOR,..",
  "Cut a TensorFlow graph: its inputs are these tensors">;
defm fetches : Eq<"--", "fetches", Generating, grp_input, "TENSOR,..",
  "Cut a TensorFlow graph: its outputs are these tensors">;
defm input : Eq<"--", "input", Executing, grp_input, "[NAME=]VALUE",
  "Value of an input: @f.npy, @f.npz, @f.pb, NAME=7, NAME=[1,2], 2x2xi32=1 2 3 4, zeros, ones, random[:SEED]; "
  "without NAME a fill is for every input not given otherwise">;
defm inputs : Eq<"--", "inputs", Executing, grp_input, "DIR|F.npz",
  "Inputs by name: the .npy and .pb files of DIR, or the entries of F.npz">;

defm decode : Eq<"--", "decode", [TokenizeVerb], grp_input, "IDS",
  "Print the text of these ids, numbers between blanks or commas; '-' reads them from the standard input">;
def no_special_tokens : On<"--", "no-special-tokens", [TokenizeVerb, GenerateVerb], grp_input,
  "Leave out the special tokens that the model wants around a text">;

// Prompts
def p : JoinedOrSeparate<["-"], "p">, Visibility<[GenerateVerb]>, Group<grp_input>,
  MetaVarName<"TEXT">, HelpText<"A prompt; several are generated together">;
defm prompt_file : Eq<"--", "prompt-file", [GenerateVerb], grp_input, "FILE",
  "A prompt: all of FILE; '-' is the standard input">;
defm prompt_ids : Eq<"--", "prompt-ids", [GenerateVerb], grp_input, "IDS",
  "A prompt as ids: 1,2,3">;
defm tokenizer : Eq<"--", "tokenizer", Texts, grp_input, "FOLDER",
  "The tokenizer's folder or file; by default the model's folder, or the artifact's">;

include "tools/tenon/generate/GenerationOptions.td"
include "tools/tenon/transcribe/TranscribeOptions.td"

// Output
def o : Separate<["-"], "o">, Visibility<[CompileVerb, BenchVerb]>, Group<grp_output>,
  MetaVarName<"FILE">, HelpText<"Write to FILE; '-' is the standard output">;
def c : On<"-", "c", [CompileVerb], grp_output, "Emit an object and its header (--emit=obj)">;
def shared : On<"-", "shared", [CompileVerb], grp_output, "Emit a shared object (--emit=shared)">;
def S : On<"-", "S", [CompileVerb], grp_output, "Emit assembly (--emit=asm)">;
def emit_llvm : On<"-", "emit-llvm", [CompileVerb], grp_output, "With -S: emit LLVM IR (--emit=llvm)">;
defm emit : Eq<"--", "emit", [CompileVerb], grp_output, "KIND",
  "What to emit: obj, shared, exe, asm, llvm, ptx or mlir", "obj,shared,exe,asm,llvm,ptx,mlir">;
def standalone : On<"--", "standalone", [CompileVerb], grp_output,
  "Emit an object that needs only libc, and a header that includes nothing of Tenon's">;
def cache : On<"--", "cache", [CompileVerb], grp_output,
  "Compile into the cache of 'tenon run', unless it is there, and print the artifact's path">;
defm name : Eq<"--", "name", [CompileVerb], grp_output, "SYMBOL",
  "Stem of the C symbols; by default made from the file name">;
defm header : Eq<"--", "header", [CompileVerb], grp_output, "FILE", "Write the C header to FILE">;
defm weights : Eq<"--", "weights", [CompileVerb], grp_output, "WHERE",
  "Put the weights into the artifact or beside it: auto, embed or external", "auto,embed,external">;
def MD : On<"-", "MD", [CompileVerb], grp_output, "Write a dependency file for Make or Ninja">;
def MF : Separate<["-"], "MF">, Visibility<[CompileVerb]>, Group<grp_output>,
  MetaVarName<"FILE">, HelpText<"Name of the dependency file">;

defm html : Eq<"--", "html", [InspectHtml], grp_output, "FILE",
  "Write a page that shows the graph before and after fusion, the kernels and the memory; a model is compiled up to "
  "its kernels for that">;

// Target
defm target : Eq<"--", "target", [CompileVerb], grp_target, "TRIPLE", "Generate code for TRIPLE">;
defm mcpu : Eq<"-", "mcpu", Coding, grp_target, "CPU",
  "Generate code for CPU ('tenon targets' lists them); native is the default">;
defm device : Eq<"--", "device", Coding, grp_target, "DEVICE,..",
  "Compile for cpu, for nvptx:ARCH (NVIDIA GPUs, such as nvptx:sm_80; nvptx is sm_75 and later), or for several "
  "in one artifact; commands that run take one, of an artifact cpu or nvptx", "cpu,nvptx">;
def cubins : On<"--", "cubins", [CompileVerb], grp_target,
  "Also compile the kernels to machine code for each nvptx:ARCH of --device, by NVIDIA's ptxas">;
defm multiversion : Eq<"--", "multiversion", [CompileVerb], grp_target, "CPU,CPU,..",
  "Generate code for each of these CPUs into one artifact, which takes the best that the machine can run; "
  "v2, v3 and v4 are short for x86-64-v2, x86-64-v3 and x86-64-v4">;
defm mattr : Eq<"-", "mattr", Coding, grp_target, "+F,-G", "Add or remove CPU features">;

// Optimisation
def O : Joined<["-"], "O">, Visibility<Coding>, Group<grp_optimise>,
  MetaVarName<"0|1|2|3">, HelpText<"Optimisation level; 2 is the default">, Values<"0,1,2,3">;

def no_fold_batch_norm : On<"--", "no-fold-batch-norm", Generating, grp_optimise,
  "Do not fold batch normalization into the weights of the convolution before it">;
defm weight_format : Eq<"--", "weight-format", Coding, grp_optimise, "FORMAT",
  "Store the weights of products in fewer bits: f32, f16, bf16, int8 or int4", "f32,f16,bf16,int8,int4">;
defm cache_format : Eq<"--", "cache-format", Coding, grp_optimise, "FORMAT",
  "Keep keys and values of a checkpoint's generation as f32 or bf16", "f32,bf16">;
defm gen_compat : Eq<"--", "gen-compat", Coding, grp_input, "MODE",
  "Generate the texts of PyTorch's library or of TensorFlow's: hf-pt or hf-tf", "hf-pt,hf-tf">;
defm matmul_precision : Eq<"--", "matmul-precision", Coding, grp_optimise, "PRECISION",
  "Least accuracy of f32 products: strict, f32, high or bf16", "strict,f32,high,bf16">;
defm jobs : Eq<"--", "jobs", [CompileVerb], grp_optimise, "N",
  "Threads that compile, by default one per CPU; the files do not depend on it">;

// Execution
defm weights_file : Eq<"--", "weights-file", [RunVerb, BenchVerb, GenerateVerb, TranscribeVerb], grp_execute, "FILE",
  "The file of external weights, or its folder; by default TENON_WEIGHTS_PATH, then beside the artifact">;
defm threads : Eq<"--", "threads", !listconcat(Executing, Texts), grp_execute, "N",
  "Threads to run on; 0, the default, is one per CPU; bench takes several counts: 1,2,4">;
def t : JoinedOrSeparate<["-"], "t">, Visibility<!listconcat(Executing, Texts)>, Group<grp_execute>,
  Alias<threads>, MetaVarName<"N">, HelpText<"Short for --threads">;
defm cpu : Eq<"--", "cpu", [RunVerb, BenchVerb, GenerateVerb, TranscribeVerb], grp_execute, "CPU",
  "Run as on a machine with CPU's features and no others; an artifact for several CPUs runs its version for CPU">;
defm load_weights : Eq<"--", "load-weights", [RunVerb, BenchVerb, GenerateVerb, TranscribeVerb], grp_execute, "HOW",
  "Bring weights into memory: auto, map or copy; copies are faster, maps are shared", "auto,map,copy">;
def verify_weights : On<"--", "verify-weights", [RunVerb, BenchVerb, GenerateVerb, TranscribeVerb], grp_execute,
  "Read every byte of the weights and refuse damaged ones; code and tables are always checked">;
defm repeat : Eq<"--", "repeat", [RunVerb, BenchVerb], grp_execute, "N",
  "Run N times and show the last result; bench: measure exactly N runs">;
def r : JoinedOrSeparate<["-"], "r">, Visibility<[RunVerb, BenchVerb]>, Group<grp_execute>,
  Alias<repeat>, MetaVarName<"N">, HelpText<"Short for --repeat">;
defm deadline : Eq<"--", "deadline", [RunVerb, VerifyVerb, GenerateVerb, TranscribeVerb], grp_execute, "TIME",
  "Stop a run that takes longer: 500ms, 2s">;
defm mem_limit : Eq<"--", "mem-limit", !listconcat(Executing, Texts), grp_execute, "SIZE",
  "Refuse a run that needs more working memory: 512M, 2G">;

// Measurement
defm warmup : Eq<"--", "warmup", [BenchVerb], grp_measure, "N", "Unmeasured runs before the measured ones; 3 by default">;
defm min_time : Eq<"--", "min-time", [BenchVerb], grp_measure, "TIME",
  "Measure for at least this time, and at least ten runs; 1s by default">;
defm batch : Eq<"--", "batch", [BenchVerb], grp_measure, "LIST",
  "Sizes of the batch to measure: 1,8 or 1-32*2 or 1-4+1">;
defm baseline : Eq<"--", "baseline", [BenchVerb], grp_measure, "OLD.json",
  "Compare with an earlier result of --format=json">;
defm svg : Eq<"--", "svg", [BenchVerb], grp_output, "FILE",
  "Also write the result as a picture, with the times of the runs; '-' is the standard output">;
defm fail_if_slower : Eq<"--", "fail-if-slower", [BenchVerb], grp_measure, "PERCENT",
  "Exit with 9 when a median is this much above the baseline's">;

def stats : On<"--", "stats", [CompileVerb, RunVerb, BenchVerb], grp_measure,
  "Print how many calls each variant had; of a compilation, how often each decision was made">;
def profile : On<"--", "profile", [RunVerb], grp_measure,
  "Print the time of each kernel, and the least time that this machine could need for it">;
def profile_to : Joined<["--"], "profile=">, Visibility<[RunVerb, InspectHtml]>, Group<grp_measure>,
  MetaVarName<"TRACE.json">, HelpText<"Print the same, and write every launch to a Chrome trace; inspect: show the "
  "times of this trace in the page of --html">;

// The cache
def dir : On<"--", "dir", [CacheVerb], grp_print, "Print only the folder">;
def clear : On<"--", "clear", [CacheVerb], grp_execute, "Remove every entry that is not in use">;
defm limit : Eq<"--", "limit", [CacheVerb], grp_execute, "SIZE",
  "Remove the least recently used entries until the others have at most SIZE: 512M, 2G">;

// Comparison
defm expect : Eq<"--", "expect", [RunVerb], grp_compare, "[NAME=]@FILE",
  "Compare an output with a .npy, .npz or .pb file; exit with 9 where they differ">;
defm test_data : Eq<"--", "test-data", [RunVerb], grp_compare, "DIR",
  "Run on DIR/input_N.pb and compare with DIR/output_N.pb">;
defm rtol : Eq<"--", "rtol", [RunVerb, VerifyVerb], grp_compare, "X", "Relative tolerance of the comparison">;
defm atol : Eq<"--", "atol", [RunVerb, VerifyVerb], grp_compare, "X", "Absolute tolerance of the comparison">;

def per_op : On<"--", "per-op", [VerifyVerb], grp_compare,
  "Compare every value that the model computes, not only its outputs">;

defm verify : Eq<"--", "verify", [InspectHtml], grp_compare, "RESULT.json",
  "Show the errors of 'tenon verify --format=json' in the page of --html">;

// Printing
defm output : Eq<"--", "output", [RunVerb], grp_print, "[NAME=]@F.npy", "Write an output as .npy">;
defm outputs : Eq<"--", "outputs", [RunVerb], grp_print, "F.npz", "Write all outputs as .npz">;
defm print_top : Eq<"--", "print-top", [RunVerb], grp_print, "N",
  "Print the N largest values along the last axis of each output">;
defm labels : Eq<"--", "labels", [RunVerb], grp_print, "FILE",
  "Names for --print-top, one a line">;
defm print_max : Eq<"--", "print-max", [RunVerb], grp_print, "N",
  "Print at most N values of each output; by default outputs of up to 16 are printed">;
defm print : Eq<"--", "print", [TokenizeVerb, GenerateVerb, TranscribeVerb], grp_print, "WHAT",
  "What to print of a text: ids, tokens (one a line) or count; of a generated one: text or ids",
  "ids,tokens,count,text">;
def verbose : On<"--", "verbose", Texts, grp_print,
  "Print the time of the prompt and the tokens per second, or the time of the sound; the time to load and the peak of "
  "memory">;
def skip_special_tokens : On<"--", "skip-special-tokens", [TokenizeVerb], grp_print,
  "With --decode: leave out the text of special tokens">;
def ops : On<"--", "ops", [InspectPlain], grp_print, "List every kind of op, or every kernel of an artifact">;
defm format : Eq<"--", "format", [CompileVerb, RunVerb, BenchVerb, VerifyVerb, InspectPlain,
                                  TargetsVerb, CacheVerb, TokenizeVerb, GenerateVerb, TranscribeVerb, NoVerb],
  grp_print, "FORMAT", "Format of the result: text or json; bench: md, csv or json; transcribe: also srt or vtt",
  "text,json,md,csv,srt,vtt">;

// Diagnosis
defm stop_after : Eq<"--", "stop-after", [CompileVerb], grp_diagnose, "STAGE",
  "Print the program as it is after STAGE">;
def list_stages : On<"--", "list-stages", [CompileVerb], grp_diagnose, "List the stages and what holds after each">;
defm dump_to : Eq<"--", "dump-to", [CompileVerb], grp_diagnose, "DIR",
  "Write the program after every stage to a file in DIR">;
defm remarks : Eq<"--", "remarks", [CompileVerb], grp_diagnose, "CATEGORY,..",
  "Say what was done for speed or was not, and why: all or some of attention, fusion, in-place, kernels, packing, "
  "products, transfers, variants and weights", "all,attention,fusion,in-place,kernels,packing,products,transfers,variants,weights">;
def time : On<"--", "time", [CompileVerb], grp_diagnose, "Print the time of each stage">;
defm timeout : Eq<"--", "timeout", Working, grp_diagnose, "TIME",
  "Stop the command when it takes longer: 500ms, 2s; exit status 10">;
defm max_memory : Eq<"--", "max-memory", Working, grp_diagnose, "SIZE",
  "Stop the command when it takes more memory: 512M, 2G; the default for a run is the memory that is left; "
  "exit status 5">;
defm progress : Eq<"--", "progress", Working, grp_diagnose, "WHEN",
  "Progress lines: auto (on a terminal), plain or none", "auto,plain,none">;
def q : On<"-", "q", Working, grp_diagnose, "Print only errors and results">;
def v : On<"-", "v", Working, grp_diagnose, "Print more about each step">;
defm color : Eq<"--", "color", Every, grp_diagnose, "WHEN",
  "Colours: auto, always or never", "auto,always,never">;
defm diagnostics_format : Eq<"--", "diagnostics-format", Every, grp_diagnose, "FORMAT",
  "Format of errors and notes: text or json", "text,json">;
def help : On<"--", "help", Every, grp_diagnose, "Show this help">;
def h : Flag<["-"], "h">, Visibility<Every>, Alias<help>, Flags<[HelpHidden]>;
def version : On<"--", "version", [NoVerb, CompileVerb], grp_diagnose, "Show the version">;
def man : On<"--", "man", [HelpVerb], grp_print, "Print the manual page, in the language of man">;
