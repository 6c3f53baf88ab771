// A speech model without weights, for tests and examples: the sound itself spells the ids. It has the entries of a speech model.
// Sample 160 f of the sound is an id / 2048, where f is a frame; row r of the features is the sample at 160 f + 40 r, but row 3 is the sample
// 40 before the frame, which the first frame of a window has from its neighbours. Step k of a window reads frame k + 1: row 0 is the id, with
// do_sample row 1; row 2 is the cost of the step / 256, which sampling with temperature t multiplies by 1 - t. In frame 0 row 1 is the language and
// row 3 the no-speech probability * 256. The id 0 is the end of the text, and some ids beyond the vocabulary make the step
// say something about the call: 1600 + i repeats the id i places before the prompt's last, 1560 is 1 + the greatest feature mod 8, 1561 is 1 + seed mod 8.
// Ids: text 1 to 39, end 40, start 41, languages 42 to 44, translate 45, transcribe 46, previous text 47, no speech 48, no timestamps 49,
// timestamps 50 to 1550.
module attributes {tenon.ranges = {frames = array<i64: 1, 3000, 1>}} {
tenon.context_extent @rows 1 to 64 default 1
tenon.context_extent @positions 1 to 448 default 448
tenon.state @call.ids : tensor<?xi64> extents [@positions]
tenon.state @call.features : tensor<4x3000xf32>
tenon.state @call.greatest : tensor<f32>
tenon.state @call.eos : tensor<16xi64>
// The prompt's columns, the steps made, their limit, the reason of the end, the pad id, the row of the features, the beams, the seed, 1 if
// timestamps are wanted.
tenon.state @call.numbers : tensor<9xi64>
tenon.state @call.temperature : tensor<f32>
tenon.state @call.cost : tensor<f32>

func.func @features(%samples: tensor<?xf32> {tenon.name = "samples", tenon.dims = ["samples"]},
                    %before: tensor<i64> {tenon.name = "before", tenon.default_value = dense<0> : tensor<i64>, tenon.input_range = array<i64: 0, 1000000>},
                    %after: tensor<i64> {tenon.name = "after", tenon.default_value = dense<0> : tensor<i64>, tenon.input_range = array<i64: 0, 1000000>})
    -> (tensor<4x?xf32> {tenon.name = "features"}, tensor<f32> {tenon.name = "greatest"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c40 = arith.constant 40 : index
  %c160 = arith.constant 160 : index
  %c200 = arith.constant 200 : index
  %most = arith.constant 1000000 : index
  %n = tensor.dim %samples, %c0 : tensor<?xf32>
  %b0 = tensor.extract %before[] : tensor<i64>
  %b = arith.index_cast %b0 : i64 to index
  %a0 = tensor.extract %after[] : tensor<i64>
  %a = arith.index_cast %a0 : i64 to index
  // Neighbours are none, or as many as half a transform has.
  %begins = arith.cmpi eq, %b, %c0 : index
  %ends = arith.cmpi eq, %a, %c0 : index
  %b1 = arith.select %begins, %c200, %b : index
  %a1 = arith.select %ends, %c200, %a : index
  tenon.check_size %b1 in [%c200, %most] "features: before"
  tenon.check_size %a1 in [%c200, %most] "features: after"
  %rest0 = arith.subi %n, %b : index
  %rest = arith.subi %rest0, %a : index
  %count = arith.divsi %rest, %c160 : index
  tenon.check_size %count in [%c1, %n] "features: the frames"
  %frames = tenon.bound %count at_most %n
  %used = arith.muli %frames, %c160 : index
  %window = tenon.slice %samples offsets [%b] sizes [%used] strides [1] : (tensor<?xf32>, index, index) -> tensor<?xf32>
  %table = tenon.reshape %window sizes [%frames, 160] : (tensor<?xf32>, index) -> tensor<?x160xf32>
  %three = tenon.slice %table offsets [0, 0] sizes [%frames, 3] strides [1, 40] : (tensor<?x160xf32>, index) -> tensor<?x3xf32>
  %earlier0 = arith.subi %b, %c40 : index
  %earlier = arith.select %begins, %c0, %earlier0 : index
  %window1 = tenon.slice %samples offsets [%earlier] sizes [%used] strides [1] : (tensor<?xf32>, index, index) -> tensor<?xf32>
  %table1 = tenon.reshape %window1 sizes [%frames, 160] : (tensor<?xf32>, index) -> tensor<?x160xf32>
  %neighbours = tenon.slice %table1 offsets [0, 0] sizes [%frames, 1] strides [1, 1] : (tensor<?x160xf32>, index) -> tensor<?x1xf32>
  %all = tenon.concatenate %three, %neighbours dim 1 : (tensor<?x3xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  %rows = tenon.transpose %all [1, 0] : (tensor<?x4xf32>) -> tensor<4x?xf32>
  %scale = tenon.constant dense<2048.0> : tensor<f32>
  %scales = tenon.broadcast_in_dim %scale dims [] sizes [4, %frames] : (tensor<f32>, index) -> tensor<4x?xf32>
  %features = tenon.multiply %rows, %scales : (tensor<4x?xf32>, tensor<4x?xf32>) -> tensor<4x?xf32>
  %first = tenon.slice %features offsets [0, 0] sizes [1, %frames] strides [1, 1] : (tensor<4x?xf32>, index) -> tensor<1x?xf32>
  %greatest = tenon.reduce maximum %first over [0, 1] : (tensor<1x?xf32>) -> tensor<f32>
  return %features, %greatest : tensor<4x?xf32>, tensor<f32>
}

// The ids that a caller must know, as defaults of inputs; nobody calls it.
func.func @tokens(%languages: tensor<?xi64> {tenon.name = "languages", tenon.dims = ["languages"], tenon.default_value = dense<[42, 43, 44]> : tensor<3xi64>},
                  %language_names: tensor<?xui8> {tenon.name = "language_names", tenon.dims = ["language_bytes"],
                                                  tenon.default_value = dense<[101, 110, 0, 100, 101, 0, 102, 114, 0]> : tensor<9xui8>},
                  %tasks: tensor<?xi64> {tenon.name = "tasks", tenon.dims = ["tasks"], tenon.default_value = dense<[46, 45]> : tensor<2xi64>},
                  %task_names: tensor<?xui8> {tenon.name = "task_names", tenon.dims = ["task_bytes"],
                                              tenon.default_value = dense<[116, 114, 97, 110, 115, 99, 114, 105, 98, 101, 0, 116, 114, 97, 110, 115, 108, 97, 116, 101, 0]> : tensor<21xui8>},
                  %first_tokens: tensor<?xi64> {tenon.name = "first_tokens", tenon.dims = ["first"], tenon.default_value = dense<[-1, 46]> : tensor<2xi64>},
                  // The text of each id: its length, then its bytes.
                  %pieces: tensor<?xui8> {tenon.name = "pieces", tenon.dims = ["piece_bytes"],
                                          tenon.default_value = dense<[1, 33, 1, 97, 1, 98, 1, 99, 1, 100, 1, 101, 1, 102, 1, 103, 1, 104, 1, 105, 1, 106, 1, 107, 1, 108, 1, 109, 1, 110, 1, 111, 1, 112, 1, 113, 1, 114, 1, 115, 1, 116, 1, 117, 1, 118, 1, 119, 1, 120, 1, 121, 1, 122, 1, 32, 1, 46, 1, 44, 4, 32, 116, 104, 101, 6, 32, 113, 117, 105, 99, 107, 6, 32, 98, 114, 111, 119, 110, 4, 32, 102, 111, 120, 6, 32, 106, 117, 109, 112, 115, 5, 32, 111, 118, 101, 114, 5, 32, 108, 97, 122, 121, 4, 32, 100, 111, 103, 1, 195, 1, 188]> : tensor<112xui8>},
                  %no_timestamps: tensor<i64> {tenon.name = "no_timestamps_token_id", tenon.default_value = dense<49> : tensor<i64>},
                  %prev_sot: tensor<i64> {tenon.name = "prev_sot_token_id", tenon.default_value = dense<47> : tensor<i64>},
                  %is_multilingual: tensor<i1> {tenon.name = "is_multilingual", tenon.default_value = dense<true> : tensor<i1>})
    -> (tensor<i64> {tenon.name = "none"}) {
  return %no_timestamps : tensor<i64>
}

func.func @start(%ids: tensor<?x?xi64> {tenon.name = "ids", tenon.dims = ["rows", "seq"]},
                 %lengths: tensor<?xi64> {tenon.name = "lengths", tenon.dims = ["rows"]},
                 %keep: tensor<i64> {tenon.name = "keep", tenon.default_value = dense<0> : tensor<i64>},
                 %features: tensor<?x4x?xf32> {tenon.name = "features", tenon.dims = ["rows", 4, "frames"]},
                 %frames: tensor<?xi64> {tenon.name = "frames", tenon.dims = ["rows"], tenon.input_range = array<i64: 1, 3000>},
                 %greatest: tensor<?xf32> {tenon.name = "greatest", tenon.dims = ["rows"]},
                 %keep_encoder: tensor<i1> {tenon.name = "keep_encoder", tenon.default_value = dense<false> : tensor<i1>},
                 %decoder_start_token_id: tensor<i64> {tenon.name = "decoder_start_token_id", tenon.default_value = dense<41> : tensor<i64>, tenon.input_range = array<i64: 0, 1550>},
                 %max_new_tokens: tensor<i64> {tenon.name = "max_new_tokens", tenon.default_value = dense<-1> : tensor<i64>, tenon.input_range = array<i64: -1, 1000000>},
                 %max_length: tensor<i64> {tenon.name = "max_length", tenon.default_value = dense<448> : tensor<i64>, tenon.input_range = array<i64: -1, 1000000>},
                 %num_beams: tensor<i64> {tenon.name = "num_beams", tenon.default_value = dense<1> : tensor<i64>, tenon.input_range = array<i64: 1, 64>},
                 %num_return_sequences: tensor<i64> {tenon.name = "num_return_sequences", tenon.default_value = dense<1> : tensor<i64>, tenon.input_range = array<i64: 1, 1>},
                 %do_sample: tensor<i1> {tenon.name = "do_sample", tenon.default_value = dense<false> : tensor<i1>},
                 %temperature: tensor<f32> {tenon.name = "temperature", tenon.default_value = dense<1.0> : tensor<f32>, tenon.input_range = array<f32: 1.0e-6, 1.0e6>},
                 %seed: tensor<i64> {tenon.name = "seed", tenon.default_value = dense<0> : tensor<i64>},
                 %pad_token_id: tensor<i64> {tenon.name = "pad_token_id", tenon.default_value = dense<40> : tensor<i64>, tenon.input_range = array<i64: 0, 1550>},
                 %eos_token_id: tensor<?xi64> {tenon.name = "eos_token_id", tenon.dims = ["eos"], tenon.default_value = dense<40> : tensor<1xi64>, tenon.input_range = array<i64: -1, 1550>},
                 %output_scores: tensor<i1> {tenon.name = "output_scores", tenon.default_value = dense<false> : tensor<i1>},
                 %timestamps: tensor<i1> {tenon.name = "timestamps", tenon.default_value = dense<false> : tensor<i1>})
    -> (tensor<i64> {tenon.name = "prompt"}, tensor<?xf32> {tenon.name = "no_speech"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c3000 = arith.constant 3000 : index
  %batch = tensor.dim %ids, %c0 : tensor<?x?xi64>
  %seq = tensor.dim %ids, %c1 : tensor<?x?xi64>
  %positions = tenon.get_extent @positions
  %rows = tenon.get_extent @rows
  %most_rows = arith.minsi %rows, %c1 : index
  tenon.check_size %batch in [%c1, %most_rows] "start: the rows of ids"
  tenon.check_size %seq in [%c1, %positions] "start: the columns of ids"
  %keep0 = tensor.extract %keep[] : tensor<i64>
  %keep1 = arith.index_cast %keep0 : i64 to index
  %most = arith.subi %seq, %c1 : index
  tenon.check_size %keep1 in [%c0, %most] "start: keep"

  // Columns that are kept come from the memory.
  %zero = tenon.constant dense<0> : tensor<i64>
  %high = tenon.constant dense<1551> : tensor<i64>
  %given0 = tenon.slice %ids offsets [0, 0] sizes [1, %seq] strides [1, 1] : (tensor<?x?xi64>, index) -> tensor<1x?xi64>
  %given1 = tenon.reshape %given0 sizes [%seq] : (tensor<1x?xi64>, index) -> tensor<?xi64>
  %lows = tenon.broadcast_in_dim %zero dims [] sizes [%seq] : (tensor<i64>, index) -> tensor<?xi64>
  %highs = tenon.broadcast_in_dim %high dims [] sizes [%seq] : (tensor<i64>, index) -> tensor<?xi64>
  %given = tenon.check_range %given1 in [%lows, %highs) "start: ids" : (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  %old = tenon.state_read @call.ids : tensor<?xi64>
  %held = tenon.slice %old offsets [0] sizes [%seq] strides [1] : (tensor<?xi64>, index) -> tensor<?xi64>
  %column = tenon.iota dim 0 sizes [%seq] : (index) -> tensor<?xi64>
  %keeps = tenon.broadcast_in_dim %keep dims [] sizes [%seq] : (tensor<i64>, index) -> tensor<?xi64>
  %kept = tenon.compare lt %column, %keeps : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi1>
  %prompt = tenon.select %kept, %held, %given : (tensor<?xi1>, tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  %new = tenon.dynamic_update_slice %old, %prompt at [0] : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  tenon.state_write @call.ids, %new : tensor<?xi64>

  // The window, unless the one before is kept.
  %again = tensor.extract %keep_encoder[] : tensor<i1>
  scf.if %again {
  } else {
    %width0 = tensor.dim %features, %c2 : tensor<?x4x?xf32>
    tenon.check_size %width0 in [%c1, %c3000] "start: the frames"
    %width = tenon.bound %width0 at_most %c3000
    %sound0 = tenon.slice %features offsets [0, 0, 0] sizes [1, 4, %width] strides [1, 1, 1] : (tensor<?x4x?xf32>, index) -> tensor<1x4x?xf32>
    %sound = tenon.reshape %sound0 sizes [4, %width] : (tensor<1x4x?xf32>, index) -> tensor<4x?xf32>
    %none = tenon.constant dense<0.0> : tensor<4x3000xf32>
    %padded = tenon.dynamic_update_slice %none, %sound at [0, 0] : (tensor<4x3000xf32>, tensor<4x?xf32>) -> tensor<4x3000xf32>
    tenon.state_write @call.features, %padded : tensor<4x3000xf32>
    %great0 = tenon.slice %greatest offsets [0] sizes [1] strides [1] : (tensor<?xf32>) -> tensor<1xf32>
    %great = tenon.reshape %great0 sizes [] : (tensor<1xf32>) -> tensor<f32>
    tenon.state_write @call.greatest, %great : tensor<f32>
  }

  %nothing = tenon.constant dense<-1> : tensor<16xi64>
  %eoses = tensor.dim %eos_token_id, %c0 : tensor<?xi64>
  tenon.check_size %eoses in [%c0, %c16] "start: the number of eos ids"
  %eos = tenon.dynamic_update_slice %nothing, %eos_token_id at [0] : (tensor<16xi64>, tensor<?xi64>) -> tensor<16xi64>
  tenon.state_write @call.eos, %eos : tensor<16xi64>

  // The limit: max_new_tokens, else max_length; never past the last position.
  %seq0 = arith.index_cast %seq : index to i64
  %n0 = tensor.extract %max_new_tokens[] : tensor<i64>
  %l0 = tensor.extract %max_length[] : tensor<i64>
  %z = arith.constant 0 : i64
  %o = arith.constant 1 : i64
  %hasn = arith.cmpi sge, %n0, %z : i64
  %rest0 = arith.subi %l0, %seq0 : i64
  %rest = arith.maxsi %rest0, %z : i64
  %byn = arith.select %hasn, %n0, %rest : i64
  %p0 = arith.index_cast %positions : index to i64
  %room = arith.subi %p0, %seq0 : i64
  %limit = arith.minsi %byn, %room : i64
  %pad = tensor.extract %pad_token_id[] : tensor<i64>
  %sample = tensor.extract %do_sample[] : tensor<i1>
  %row = arith.select %sample, %o, %z : i64
  %beams = tensor.extract %num_beams[] : tensor<i64>
  %seed0 = tensor.extract %seed[] : tensor<i64>
  %wants = tensor.extract %timestamps[] : tensor<i1>
  %wants1 = arith.select %wants, %o, %z : i64
  %numbers = tensor.from_elements %seq0, %z, %limit, %z, %pad, %row, %beams, %seed0, %wants1 : tensor<9xi64>
  tenon.state_write @call.numbers, %numbers : tensor<9xi64>
  tenon.state_write @call.temperature, %temperature : tensor<f32>
  %free = tenon.constant dense<0.0> : tensor<f32>
  tenon.state_write @call.cost, %free : tensor<f32>
  %window = tenon.state_read @call.features : tensor<4x3000xf32>
  %silence0 = tenon.slice %window offsets [3, 0] sizes [1, 1] strides [1, 1] : (tensor<4x3000xf32>) -> tensor<1x1xf32>
  %silence1 = tenon.reshape %silence0 sizes [1] : (tensor<1x1xf32>) -> tensor<1xf32>
  %scale = tenon.constant dense<256.0> : tensor<1xf32>
  %silence2 = tenon.divide %silence1, %scale : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  %silence = tenon.broadcast_in_dim %silence2 dims [0] sizes [%batch] : (tensor<1xf32>, index) -> tensor<?xf32>
  %seq1 = tensor.from_elements %seq0 : tensor<i64>
  return %seq1, %silence : tensor<i64>, tensor<?xf32>
}

func.func @advance(%steps: tensor<i64> {tenon.name = "steps", tenon.default_value = dense<1> : tensor<i64>, tenon.input_range = array<i64: 0, 1000000>},
                   %allowed: tensor<?x1551xi1> {tenon.name = "allowed", tenon.dims = ["allowed_rows", 1551], tenon.default_value = dense<> : tensor<0x1551xi1>})
    -> (tensor<?x?xi64> {tenon.name = "ids"}, tensor<i1> {tenon.name = "finished"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %z = arith.constant 0 : i64
  %o = arith.constant 1 : i64
  %positions = tenon.get_extent @positions
  %steps0 = tensor.extract %steps[] : tensor<i64>
  %steps1 = arith.index_cast %steps0 : i64 to index
  %asked = arith.minsi %steps1, %positions : index
  %numbers = tenon.state_read @call.numbers : tensor<9xi64>
  %seq = tensor.extract %numbers[%c0] : tensor<9xi64>
  %step = tensor.extract %numbers[%c1] : tensor<9xi64>
  %limit = tensor.extract %numbers[%c2] : tensor<9xi64>
  %reason = tensor.extract %numbers[%c3] : tensor<9xi64>
  %pad = tensor.extract %numbers[%c4] : tensor<9xi64>
  %row = tensor.extract %numbers[%c5] : tensor<9xi64>
  %beams = tensor.extract %numbers[%c6] : tensor<9xi64>
  %seed = tensor.extract %numbers[%c7] : tensor<9xi64>
  %wants = tensor.extract %numbers[%c8] : tensor<9xi64>
  %rowi = arith.index_cast %row : i64 to index
  %last = arith.addi %step, %steps0 : i64
  %stop = arith.minsi %last, %limit : i64
  %window = tenon.state_read @call.features : tensor<4x3000xf32>
  %great0 = tenon.state_read @call.greatest : tensor<f32>
  %great1 = tensor.extract %great0[] : tensor<f32>
  %great = arith.fptosi %great1 : f32 to i64
  %eos = tenon.state_read @call.eos : tensor<16xi64>
  %half = arith.constant 0.5 : f32
  %scale = arith.constant 256.0 : f32
  %first_timestamp = arith.constant 50 : i64
  %eight = arith.constant 8 : i64
  %end_id = arith.constant 40 : i64
  %other_id = arith.constant 39 : i64
  %say_greatest = arith.constant 1560 : i64
  %say_seed = arith.constant 1561 : i64
  %say_prompt = arith.constant 1600 : i64
  %before_seq = arith.subi %seq, %o : i64
  %g8 = arith.remsi %great, %eight : i64
  %greatest_id = arith.addi %g8, %o : i64
  %s8 = arith.remsi %seed, %eight : i64
  %seed_id = arith.addi %s8, %o : i64
  %t0 = tenon.state_read @call.temperature : tensor<f32>
  %t = tensor.extract %t0[] : tensor<f32>
  %unit = arith.constant 1.0 : f32
  %cooled = arith.subf %unit, %t : f32
  %samples = arith.cmpi eq, %row, %o : i64
  %factor = arith.select %samples, %cooled, %unit : f32

  // A choice among allowed ids takes the one nearest to the language of the window.
  %choices = tensor.dim %allowed, %c0 : tensor<?x1551xi1>
  %has_choice = arith.cmpi sgt, %choices, %c0 : index
  %language0 = tensor.extract %window[%c1, %c0] : tensor<4x3000xf32>
  %language1 = arith.addf %language0, %half : f32
  %language2 = arith.fptosi %language1 : f32 to i64
  %language = scf.if %has_choice -> i64 {
    %mask0 = tenon.slice %allowed offsets [0, 0] sizes [1, 1551] strides [1, 1] : (tensor<?x1551xi1>) -> tensor<1x1551xi1>
    %mask = tenon.reshape %mask0 sizes [1551] : (tensor<1x1551xi1>) -> tensor<1551xi1>
    %number = tenon.iota dim 0 sizes [1551] : () -> tensor<1551xi64>
    %wanted0 = tensor.from_elements %language2 : tensor<i64>
    %wanted = tenon.broadcast_in_dim %wanted0 dims [] sizes [1551] : (tensor<i64>) -> tensor<1551xi64>
    %difference = tenon.subtract %number, %wanted : (tensor<1551xi64>, tensor<1551xi64>) -> tensor<1551xi64>
    %distance = tenon.abs %difference : (tensor<1551xi64>) -> tensor<1551xi64>
    %far = tenon.constant dense<100000> : tensor<1551xi64>
    %masked = tenon.select %mask, %distance, %far : (tensor<1551xi1>, tensor<1551xi64>, tensor<1551xi64>) -> tensor<1551xi64>
    %nearest0 = tenon.arg_reduce minimum %masked over 0 : (tensor<1551xi64>) -> tensor<i64>
    %nearest = tensor.extract %nearest0[] : tensor<i64>
    scf.yield %nearest : i64
  } else {
    scf.yield %z : i64
  }

  %done:2 = scf.while (%i = %step, %r = %reason) : (i64, i64) -> (i64, i64) {
    %open = arith.cmpi eq, %r, %z : i64
    %some = arith.cmpi slt, %i, %stop : i64
    %go = arith.andi %open, %some : i1
    scf.condition(%go) %i, %r : i64, i64
  } do {
  ^bb0(%i: i64, %r: i64):
    %i1 = arith.addi %i, %o : i64
    %frame = arith.index_cast %i1 : i64 to index
    %x0 = tensor.extract %window[%rowi, %frame] : tensor<4x3000xf32>
    %x1 = arith.addf %x0, %half : f32
    %x = arith.fptosi %x1 : f32 to i64
    %is_end = arith.cmpi eq, %x, %z : i64
    %x2 = arith.select %is_end, %end_id, %x : i64
    %is_greatest = arith.cmpi eq, %x, %say_greatest : i64
    %x3 = arith.select %is_greatest, %greatest_id, %x2 : i64
    %is_seed = arith.cmpi eq, %x, %say_seed : i64
    %x4 = arith.select %is_seed, %seed_id, %x3 : i64
    %all = tenon.state_read @call.ids : tensor<?xi64>
    %back = arith.subi %x, %say_prompt : i64
    %from0 = arith.subi %before_seq, %back : i64
    %from1 = arith.maxsi %from0, %z : i64
    %from2 = arith.minsi %from1, %before_seq : i64
    %from = arith.index_cast %from2 : i64 to index
    %repeated = tensor.extract %all[%from] : tensor<?xi64>
    %is_prompt = arith.cmpi sge, %x, %say_prompt : i64
    %x5 = arith.select %is_prompt, %repeated, %x4 : i64
    // A text without timestamps has other text in their place, but repeats any id.
    %is_time0 = arith.cmpi sge, %x5, %first_timestamp : i64
    %no_times = arith.cmpi eq, %wants, %z : i64
    %is_time = arith.andi %is_time0, %no_times : i1
    %x6 = arith.select %is_time, %other_id, %x5 : i64
    %x7 = arith.select %has_choice, %language, %x6 : i64
    %next0 = tensor.from_elements %x7 : tensor<1xi64>
    %at0 = arith.addi %seq, %i : i64
    %at = arith.index_cast %at0 : i64 to index
    %all1 = tenon.dynamic_update_slice %all, %next0 at [%at] : (tensor<?xi64>, tensor<1xi64>, index) -> tensor<?xi64>
    tenon.state_write @call.ids, %all1 : tensor<?xi64>
    %cost0 = tensor.extract %window[%c2, %frame] : tensor<4x3000xf32>
    %cost1 = arith.divf %cost0, %scale : f32
    %cost2 = arith.mulf %cost1, %factor : f32
    %sum0 = tenon.state_read @call.cost : tensor<f32>
    %sum1 = tensor.extract %sum0[] : tensor<f32>
    %sum2 = arith.addf %sum1, %cost2 : f32
    %sum = tensor.from_elements %sum2 : tensor<f32>
    tenon.state_write @call.cost, %sum : tensor<f32>
    %nexts = tenon.broadcast_in_dim %next0 dims [0] sizes [16] : (tensor<1xi64>) -> tensor<16xi64>
    %same = tenon.compare eq %nexts, %eos : (tensor<16xi64>, tensor<16xi64>) -> tensor<16xi1>
    %ended0 = tenon.reduce or %same over [0] : (tensor<16xi1>) -> tensor<i1>
    %ended = tensor.extract %ended0[] : tensor<i1>
    %full = arith.cmpi eq, %i1, %limit : i64
    %two = arith.constant 2 : i64
    %r0 = arith.select %full, %two, %z : i64
    %r1 = arith.select %ended, %o, %r0 : i64
    %numbers1 = tensor.from_elements %seq, %i1, %limit, %r1, %pad, %row, %beams, %seed, %wants : tensor<9xi64>
    tenon.state_write @call.numbers, %numbers1 : tensor<9xi64>
    scf.yield %i1, %r1 : i64, i64
  }

  %made0 = arith.subi %done#0, %step : i64
  %many = arith.cmpi sgt, %beams, %o : i64
  %made1 = arith.select %many, %z, %made0 : i64
  %made2 = arith.index_cast %made1 : i64 to index
  %made = tenon.bound %made2 at_most %asked
  %from3 = arith.addi %seq, %step : i64
  %from4 = arith.index_cast %from3 : i64 to index
  %ids = tenon.state_read @call.ids : tensor<?xi64>
  %new = tenon.slice %ids offsets [%from4] sizes [%made] strides [1] : (tensor<?xi64>, index, index) -> tensor<?xi64>
  %new1 = tenon.reshape %new sizes [1, %made] : (tensor<?xi64>, index) -> tensor<1x?xi64>
  %new2 = tensor.cast %new1 : tensor<1x?xi64> to tensor<?x?xi64>
  %closed = arith.cmpi ne, %done#1, %z : i64
  %out = arith.cmpi sge, %done#0, %limit : i64
  %finished0 = arith.ori %closed, %out : i1
  %finished = tensor.from_elements %finished0 : tensor<i1>
  return %new2, %finished : tensor<?x?xi64>, tensor<i1>
}

func.func @result() -> (tensor<?x?xi64> {tenon.name = "sequences"}, tensor<?xi64> {tenon.name = "lengths"}, tensor<?xf32> {tenon.name = "scores"}, tensor<?xi64> {tenon.name = "reasons"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %positions = tenon.get_extent @positions
  %numbers = tenon.state_read @call.numbers : tensor<9xi64>
  %seq0 = tensor.extract %numbers[%c0] : tensor<9xi64>
  %step0 = tensor.extract %numbers[%c1] : tensor<9xi64>
  %reason = tensor.extract %numbers[%c3] : tensor<9xi64>
  %seq = arith.index_cast %seq0 : i64 to index
  %step1 = arith.index_cast %step0 : i64 to index
  %step = tenon.bound %step1 at_most %positions
  %one = tenon.bound %c1 at_most %c1
  %ids = tenon.state_read @call.ids : tensor<?xi64>
  %made = tenon.slice %ids offsets [%seq] sizes [%step] strides [1] : (tensor<?xi64>, index, index) -> tensor<?xi64>
  %sequences = tenon.reshape %made sizes [%one, %step] : (tensor<?xi64>, index, index) -> tensor<?x?xi64>
  %step2 = tensor.from_elements %step0 : tensor<1xi64>
  %lengths = tenon.reshape %step2 sizes [%one] : (tensor<1xi64>, index) -> tensor<?xi64>
  %reasons0 = tensor.from_elements %reason : tensor<1xi64>
  %reasons = tenon.reshape %reasons0 sizes [%one] : (tensor<1xi64>, index) -> tensor<?xi64>
  %cost = tenon.state_read @call.cost : tensor<f32>
  %cost1 = tenon.negate %cost : (tensor<f32>) -> tensor<f32>
  %scores = tenon.broadcast_in_dim %cost1 dims [] sizes [%one] : (tensor<f32>, index) -> tensor<?xf32>
  return %sequences, %lengths, %scores, %reasons : tensor<?x?xi64>, tensor<?xi64>, tensor<?xf32>, tensor<?xi64>
}
}
