// A text model of 64 ids without weights: the id after x is (5 x + 1) mod 64, a cycle through all ids. It has the entries of a
// generation model. The first new id follows from the sum of the prompt's ids, which start reads back from its memory: so a call
// that keeps columns which the context does not hold gives another text. With num_beams above 1 the ids are told at the end only.
// Sequence j of a prompt starts from the sum + j.
tenon.context_extent @rows 1 to 256 default 1
tenon.context_extent @positions 1 to 4096 default 4096
tenon.state @call.ids : tensor<?x?xi64> extents [@rows, @positions]
tenon.state @call.last : tensor<?xi64> extents [@rows]
// 0 while a sequence is open, then 4 times its length plus the reason: one value, so that a step changes both or none.
tenon.state @call.ends : tensor<?xi64> extents [@rows]
tenon.state @call.eos : tensor<16xi64>
tenon.state @call.banned : tensor<16xi64>
// The number of sequences, the prompt's columns, the steps made, the limit of steps, the pad id, the beams and the seed. A step
// writes them last: a run that is cancelled may end within a step, and result tells what the steps before it made.
tenon.state @call.numbers : tensor<7xi64>
tenon.state @call.temperature : tensor<f32>

func.func @start(%ids: tensor<?x?xi64> {tenon.name = "ids", tenon.dims = ["rows", "seq"]},
                 %lengths: tensor<?xi64> {tenon.name = "lengths", tenon.dims = ["rows"]},
                 %keep: tensor<i64> {tenon.name = "keep", tenon.default_value = dense<0> : tensor<i64>},
                 %max_new_tokens: tensor<i64> {tenon.name = "max_new_tokens", tenon.default_value = dense<-1> : tensor<i64>, tenon.input_range = array<i64: -1, 1000000>},
                 %max_length: tensor<i64> {tenon.name = "max_length", tenon.default_value = dense<-1> : tensor<i64>, tenon.input_range = array<i64: -1, 1000000>},
                 %num_beams: tensor<i64> {tenon.name = "num_beams", tenon.default_value = dense<1> : tensor<i64>, tenon.input_range = array<i64: 1, 64>},
                 %num_return_sequences: tensor<i64> {tenon.name = "num_return_sequences", tenon.default_value = dense<1> : tensor<i64>, tenon.input_range = array<i64: 1, 256>},
                 %do_sample: tensor<i1> {tenon.name = "do_sample", tenon.default_value = dense<false> : tensor<i1>},
                 %temperature: tensor<f32> {tenon.name = "temperature", tenon.default_value = dense<1.0> : tensor<f32>, tenon.input_range = array<f32: 1.0e-6, 1.0e6>},
                 %seed: tensor<i64> {tenon.name = "seed", tenon.default_value = dense<0> : tensor<i64>},
                 %pad_token_id: tensor<i64> {tenon.name = "pad_token_id", tenon.default_value = dense<63> : tensor<i64>, tenon.input_range = array<i64: 0, 63>},
                 %eos_token_id: tensor<?xi64> {tenon.name = "eos_token_id", tenon.dims = ["eos"], tenon.default_value = dense<32> : tensor<1xi64>, tenon.input_range = array<i64: -1, 63>},
                 %bad_words_ids: tensor<?x?xi64> {tenon.name = "bad_words_ids", tenon.dims = ["words", "word"], tenon.default_value = dense<> : tensor<0x1xi64>, tenon.input_range = array<i64: -1, 63>})
    -> (tensor<i64> {tenon.name = "prompt"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %batch = tensor.dim %ids, %c0 : tensor<?x?xi64>
  %seq = tensor.dim %ids, %c1 : tensor<?x?xi64>
  %rows = tenon.get_extent @rows
  %positions = tenon.get_extent @positions
  tenon.check_size %seq in [%c1, %positions] "start: the columns of ids"
  %keep0 = tensor.extract %keep[] : tensor<i64>
  %keep1 = arith.index_cast %keep0 : i64 to index
  %most = arith.subi %seq, %c1 : index
  tenon.check_size %keep1 in [%c0, %most] "start: keep"
  %returned0 = tensor.extract %num_return_sequences[] : tensor<i64>
  %returned = arith.index_cast %returned0 : i64 to index
  %beams = tensor.extract %num_beams[] : tensor<i64>
  %s0 = arith.muli %batch, %returned : index
  tenon.check_size %s0 in [%c1, %rows] "start: the rows of the context"
  %s = tenon.bound %s0 at_most %rows

  // Refuse ids outside the vocabulary and lengths that do not fit.
  %zero = tenon.constant dense<0> : tensor<i64>
  %one = tenon.constant dense<1> : tensor<i64>
  %high = tenon.constant dense<64> : tensor<i64>
  %lows = tenon.broadcast_in_dim %zero dims [] sizes [%batch, %seq] : (tensor<i64>, index, index) -> tensor<?x?xi64>
  %highs = tenon.broadcast_in_dim %high dims [] sizes [%batch, %seq] : (tensor<i64>, index, index) -> tensor<?x?xi64>
  %known = tenon.check_range %ids in [%lows, %highs) "start: ids" : (tensor<?x?xi64>, tensor<?x?xi64>, tensor<?x?xi64>) -> tensor<?x?xi64>
  %seq0 = arith.index_cast %seq : index to i64
  %seq1 = tensor.from_elements %seq0 : tensor<i64>
  %after = tenon.add %seq1, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %ones = tenon.broadcast_in_dim %one dims [] sizes [%batch] : (tensor<i64>, index) -> tensor<?xi64>
  %afters = tenon.broadcast_in_dim %after dims [] sizes [%batch] : (tensor<i64>, index) -> tensor<?xi64>
  %real = tenon.check_range %lengths in [%ones, %afters) "start: lengths" : (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>

  // One row for each sequence.
  %wide = tenon.broadcast_in_dim %known dims [0, 2] sizes [%batch, %returned, %seq] : (tensor<?x?xi64>, index, index, index) -> tensor<?x?x?xi64>
  %given = tenon.reshape %wide sizes [%s, %seq] : (tensor<?x?x?xi64>, index, index) -> tensor<?x?xi64>
  %wide1 = tenon.broadcast_in_dim %real dims [0] sizes [%batch, %returned] : (tensor<?xi64>, index, index) -> tensor<?x?xi64>
  %count = tenon.reshape %wide1 sizes [%s] : (tensor<?x?xi64>, index) -> tensor<?xi64>
  %wide2 = tenon.iota dim 1 sizes [%batch, %returned] : (index, index) -> tensor<?x?xi64>
  %number = tenon.reshape %wide2 sizes [%s] : (tensor<?x?xi64>, index) -> tensor<?xi64>

  // Columns that are kept come from the memory.
  %old = tenon.state_read @call.ids : tensor<?x?xi64>
  %held = tenon.slice %old offsets [0, 0] sizes [%s, %seq] strides [1, 1] : (tensor<?x?xi64>, index, index) -> tensor<?x?xi64>
  %column = tenon.iota dim 1 sizes [%s, %seq] : (index, index) -> tensor<?x?xi64>
  %keeps = tenon.broadcast_in_dim %keep dims [] sizes [%s, %seq] : (tensor<i64>, index, index) -> tensor<?x?xi64>
  %kept = tenon.compare lt %column, %keeps : (tensor<?x?xi64>, tensor<?x?xi64>) -> tensor<?x?xi1>
  %prompt = tenon.select %kept, %held, %given : (tensor<?x?xi1>, tensor<?x?xi64>, tensor<?x?xi64>) -> tensor<?x?xi64>
  %new = tenon.dynamic_update_slice %old, %prompt at [0, 0] : (tensor<?x?xi64>, tensor<?x?xi64>) -> tensor<?x?xi64>
  tenon.state_write @call.ids, %new : tensor<?x?xi64>

  // The sum without pads.
  %seqs = tenon.broadcast_in_dim %seq1 dims [] sizes [%s] : (tensor<i64>, index) -> tensor<?xi64>
  %pads = tenon.subtract %seqs, %count : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  %padsw = tenon.broadcast_in_dim %pads dims [0] sizes [%s, %seq] : (tensor<?xi64>, index, index) -> tensor<?x?xi64>
  %isreal = tenon.compare ge %column, %padsw : (tensor<?x?xi64>, tensor<?x?xi64>) -> tensor<?x?xi1>
  %zeros = tenon.broadcast_in_dim %zero dims [] sizes [%s, %seq] : (tensor<i64>, index, index) -> tensor<?x?xi64>
  %summed = tenon.select %isreal, %prompt, %zeros : (tensor<?x?xi1>, tensor<?x?xi64>, tensor<?x?xi64>) -> tensor<?x?xi64>
  %sum = tenon.reduce add %summed over [1] : (tensor<?x?xi64>) -> tensor<?xi64>
  %first = tenon.add %sum, %number : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  %last0 = tenon.state_read @call.last : tensor<?xi64>
  %last1 = tenon.dynamic_update_slice %last0, %first at [0] : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  tenon.state_write @call.last, %last1 : tensor<?xi64>
  %none = tenon.broadcast_in_dim %zero dims [] sizes [%rows] : (tensor<i64>, index) -> tensor<?xi64>
  tenon.state_write @call.ends, %none : tensor<?xi64>

  // The lists.
  %nothing = tenon.constant dense<-1> : tensor<16xi64>
  %eoses = tensor.dim %eos_token_id, %c0 : tensor<?xi64>
  tenon.check_size %eoses in [%c0, %c16] "start: the number of eos ids"
  %eos = tenon.dynamic_update_slice %nothing, %eos_token_id at [0] : (tensor<16xi64>, tensor<?xi64>) -> tensor<16xi64>
  tenon.state_write @call.eos, %eos : tensor<16xi64>
  %words = tensor.dim %bad_words_ids, %c0 : tensor<?x?xi64>
  tenon.check_size %words in [%c0, %c16] "start: the number of bad words"
  %word = tensor.dim %bad_words_ids, %c1 : tensor<?x?xi64>
  tenon.check_size %word in [%c1, %c64] "start: the length of bad words"
  %end = arith.subi %word, %c1 : index
  %ends = tenon.slice %bad_words_ids offsets [0, %end] sizes [%words, 1] strides [1, 1] : (tensor<?x?xi64>, index, index) -> tensor<?x1xi64>
  %flat = tenon.reshape %ends sizes [%words] : (tensor<?x1xi64>, index) -> tensor<?xi64>
  %banned = tenon.dynamic_update_slice %nothing, %flat at [0] : (tensor<16xi64>, tensor<?xi64>) -> tensor<16xi64>
  tenon.state_write @call.banned, %banned : tensor<16xi64>

  // The limit: max_new_tokens, else max_length, else 20 steps; never past the last position.
  %n0 = tensor.extract %max_new_tokens[] : tensor<i64>
  %l0 = tensor.extract %max_length[] : tensor<i64>
  %z = arith.constant 0 : i64
  %twenty = arith.constant 20 : i64
  %hasn = arith.cmpi sge, %n0, %z : i64
  %hasl = arith.cmpi sge, %l0, %z : i64
  %rest0 = arith.subi %l0, %seq0 : i64
  %rest = arith.maxsi %rest0, %z : i64
  %byl = arith.select %hasl, %rest, %twenty : i64
  %byn = arith.select %hasn, %n0, %byl : i64
  %p0 = arith.index_cast %positions : index to i64
  %room = arith.subi %p0, %seq0 : i64
  %limit = arith.minsi %byn, %room : i64
  %pad = tensor.extract %pad_token_id[] : tensor<i64>
  %seed0 = tensor.extract %seed[] : tensor<i64>
  %sample = tensor.extract %do_sample[] : tensor<i1>
  %seed1 = arith.select %sample, %seed0, %z : i64
  %s1 = arith.index_cast %s0 : index to i64
  %numbers = tensor.from_elements %s1, %seq0, %z, %limit, %pad, %beams, %seed1 : tensor<7xi64>
  tenon.state_write @call.temperature, %temperature : tensor<f32>
  tenon.state_write @call.numbers, %numbers : tensor<7xi64>
  return %seq1 : tensor<i64>
}

func.func @advance(%steps: tensor<i64> {tenon.name = "steps", tenon.default_value = dense<1> : tensor<i64>, tenon.input_range = array<i64: 0, 1000000>},
                   %allowed: tensor<?x64xi1> {tenon.name = "allowed", tenon.dims = ["allowed_rows", 64], tenon.default_value = dense<> : tensor<0x64xi1>})
    -> (tensor<?x?xi64> {tenon.name = "ids"}, tensor<i1> {tenon.name = "finished"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %z = arith.constant 0 : i64
  %o = arith.constant 1 : i64
  %t = arith.constant 2 : i64
  %rows = tenon.get_extent @rows
  %positions = tenon.get_extent @positions
  %steps0 = tensor.extract %steps[] : tensor<i64>
  %steps1 = arith.index_cast %steps0 : i64 to index
  %asked = arith.minsi %steps1, %positions : index
  %numbers = tenon.state_read @call.numbers : tensor<7xi64>
  %s0 = tensor.extract %numbers[%c0] : tensor<7xi64>
  %seq = tensor.extract %numbers[%c1] : tensor<7xi64>
  %step = tensor.extract %numbers[%c2] : tensor<7xi64>
  %limit = tensor.extract %numbers[%c3] : tensor<7xi64>
  %pad = tensor.extract %numbers[%c4] : tensor<7xi64>
  %beams = tensor.extract %numbers[%c5] : tensor<7xi64>
  %seed = tensor.extract %numbers[%c6] : tensor<7xi64>
  %s1 = arith.index_cast %s0 : i64 to index
  %s = tenon.bound %s1 at_most %rows
  %row = tenon.iota dim 0 sizes [%rows] : (index) -> tensor<?xi64>
  %st = tensor.from_elements %s0 : tensor<i64>
  %ss = tenon.broadcast_in_dim %st dims [] sizes [%rows] : (tensor<i64>, index) -> tensor<?xi64>
  %used = tenon.compare lt %row, %ss : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi1>
  %zero = tenon.constant dense<0> : tensor<i64>
  %zeros = tenon.broadcast_in_dim %zero dims [] sizes [%rows] : (tensor<i64>, index) -> tensor<?xi64>
  %five = tenon.constant dense<5> : tensor<i64>
  %fives = tenon.broadcast_in_dim %five dims [] sizes [%rows] : (tensor<i64>, index) -> tensor<?xi64>
  %mod = tenon.constant dense<64> : tensor<i64>
  %mods = tenon.broadcast_in_dim %mod dims [] sizes [%rows] : (tensor<i64>, index) -> tensor<?xi64>
  %padt = tensor.from_elements %pad : tensor<i64>
  %pads = tenon.broadcast_in_dim %padt dims [] sizes [%rows] : (tensor<i64>, index) -> tensor<?xi64>
  %four = arith.constant 4 : i64
  %more0 = arith.muli %seed, %four : i64
  %more1 = arith.addi %more0, %o : i64
  %moret = tensor.from_elements %more1 : tensor<i64>
  %more = tenon.broadcast_in_dim %moret dims [] sizes [%rows] : (tensor<i64>, index) -> tensor<?xi64>
  %eos = tenon.state_read @call.eos : tensor<16xi64>
  %eoses = tenon.broadcast_in_dim %eos dims [1] sizes [%rows, 16] : (tensor<16xi64>, index) -> tensor<?x16xi64>
  %ban = tenon.state_read @call.banned : tensor<16xi64>
  %bans = tenon.broadcast_in_dim %ban dims [1] sizes [%rows, 16] : (tensor<16xi64>, index) -> tensor<?x16xi64>
  %last = arith.addi %step, %steps0 : i64
  %stop = arith.minsi %last, %limit : i64
  %masks = tensor.dim %allowed, %c0 : tensor<?x64xi1>
  %hasmasks = arith.cmpi sgt, %masks, %c0 : index

  %end = scf.while (%i = %step) : (i64) -> i64 {
    %r = tenon.state_read @call.ends : tensor<?xi64>
    %open0 = tenon.compare eq %r, %zeros : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi1>
    %open1 = tenon.and %open0, %used : (tensor<?xi1>, tensor<?xi1>) -> tensor<?xi1>
    %any0 = tenon.reduce or %open1 over [0] : (tensor<?xi1>) -> tensor<i1>
    %any = tensor.extract %any0[] : tensor<i1>
    %some = arith.cmpi slt, %i, %stop : i64
    %go = arith.andi %any, %some : i1
    scf.condition(%go) %i : i64
  } do {
  ^bb0(%i: i64):
    %r = tenon.state_read @call.ends : tensor<?xi64>
    %open = tenon.compare eq %r, %zeros : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi1>
    %x = tenon.state_read @call.last : tensor<?xi64>
    %x5 = tenon.multiply %x, %fives : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
    %x6 = tenon.add %x5, %more : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
    %x7 = tenon.remainder %x6, %mods : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
    %xw = tenon.broadcast_in_dim %x7 dims [0] sizes [%rows, 16] : (tensor<?xi64>, index) -> tensor<?x16xi64>
    %b0 = tenon.compare eq %xw, %bans : (tensor<?x16xi64>, tensor<?x16xi64>) -> tensor<?x16xi1>
    %b1 = tenon.reduce or %b0 over [1] : (tensor<?x16xi1>) -> tensor<?xi1>
    %y5 = tenon.multiply %x7, %fives : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
    %y6 = tenon.add %y5, %more : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
    %y7 = tenon.remainder %y6, %mods : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
    %free = tenon.select %b1, %y7, %x7 : (tensor<?xi1>, tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
    // In the first step of a call with masks, the lowest id that is allowed stands for one that is not.
    %isfirst = arith.cmpi eq, %i, %step : i64
    %restricts = arith.andi %hasmasks, %isfirst : i1
    %chosen = scf.if %restricts -> (tensor<?xi64>) {
      %each0 = arith.divsi %s, %masks : index
      %each1 = arith.maxsi %each0, %c1 : index
      %each2 = arith.index_cast %each1 : index to i64
      %each3 = tensor.from_elements %each2 : tensor<i64>
      %each = tenon.broadcast_in_dim %each3 dims [] sizes [%rows] : (tensor<i64>, index) -> tensor<?xi64>
      %end0 = arith.subi %masks, %c1 : index
      %end1 = arith.index_cast %end0 : index to i64
      %end2 = tensor.from_elements %end1 : tensor<i64>
      %ends = tenon.broadcast_in_dim %end2 dims [] sizes [%rows] : (tensor<i64>, index) -> tensor<?xi64>
      %its0 = tenon.divide %row, %each : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
      %its = tenon.minimum %its0, %ends : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
      %mask = tenon.gather %allowed, %its offset_dims [1] collapsed [0] batching [] x [] map [0] vector_dim 1 slice_sizes [1, 64] : (tensor<?x64xi1>, tensor<?xi64>) -> tensor<?x64xi1>
      %bits = tenon.convert %mask to i64 : (tensor<?x64xi1>) -> tensor<?x64xi64>
      %lowest = tenon.arg_reduce maximum %bits over 1 : (tensor<?x64xi64>) -> tensor<?xi64>
      %id = tenon.iota dim 1 sizes [%rows, 64] : (index) -> tensor<?x64xi64>
      %frees = tenon.broadcast_in_dim %free dims [0] sizes [%rows, 64] : (tensor<?xi64>, index) -> tensor<?x64xi64>
      %same = tenon.compare eq %id, %frees : (tensor<?x64xi64>, tensor<?x64xi64>) -> tensor<?x64xi1>
      %hit = tenon.and %same, %mask : (tensor<?x64xi1>, tensor<?x64xi1>) -> tensor<?x64xi1>
      %fits = tenon.reduce or %hit over [1] : (tensor<?x64xi1>) -> tensor<?xi1>
      %either = tenon.select %fits, %free, %lowest : (tensor<?xi1>, tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
      scf.yield %either : tensor<?xi64>
    } else {
      scf.yield %free : tensor<?xi64>
    }
    %next = tenon.select %open, %chosen, %pads : (tensor<?xi1>, tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
    tenon.state_write @call.last, %next : tensor<?xi64>
    %at0 = arith.addi %seq, %i : i64
    %at = arith.index_cast %at0 : i64 to index
    %column = tenon.reshape %next sizes [%rows, 1] : (tensor<?xi64>, index) -> tensor<?x1xi64>
    %all = tenon.state_read @call.ids : tensor<?x?xi64>
    %all1 = tenon.dynamic_update_slice %all, %column at [0, %at] : (tensor<?x?xi64>, tensor<?x1xi64>, index) -> tensor<?x?xi64>
    tenon.state_write @call.ids, %all1 : tensor<?x?xi64>
    %nw = tenon.broadcast_in_dim %next dims [0] sizes [%rows, 16] : (tensor<?xi64>, index) -> tensor<?x16xi64>
    %e0 = tenon.compare eq %nw, %eoses : (tensor<?x16xi64>, tensor<?x16xi64>) -> tensor<?x16xi1>
    %e1 = tenon.reduce or %e0 over [1] : (tensor<?x16xi1>) -> tensor<?xi1>
    %i1 = arith.addi %i, %o : i64
    %length = arith.muli %i1, %four : i64
    %byid0 = arith.addi %length, %o : i64
    %byid1 = tensor.from_elements %byid0 : tensor<i64>
    %byid = tenon.broadcast_in_dim %byid1 dims [] sizes [%rows] : (tensor<i64>, index) -> tensor<?xi64>
    %bylimit0 = arith.addi %length, %t : i64
    %full = arith.cmpi eq, %i1, %limit : i64
    %bylimit1 = arith.select %full, %bylimit0, %z : i64
    %bylimit2 = tensor.from_elements %bylimit1 : tensor<i64>
    %bylimit = tenon.broadcast_in_dim %bylimit2 dims [] sizes [%rows] : (tensor<i64>, index) -> tensor<?xi64>
    %r1 = tenon.select %e1, %byid, %bylimit : (tensor<?xi1>, tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
    %r2 = tenon.select %open, %r1, %r : (tensor<?xi1>, tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
    tenon.state_write @call.ends, %r2 : tensor<?xi64>
    %numbers1 = tensor.from_elements %s0, %seq, %i1, %limit, %pad, %beams, %seed : tensor<7xi64>
    tenon.state_write @call.numbers, %numbers1 : tensor<7xi64>
    scf.yield %i1 : i64
  }

  %made0 = arith.subi %end, %step : i64
  %many = arith.cmpi sgt, %beams, %o : i64
  %made1 = arith.select %many, %z, %made0 : i64
  %made2 = arith.index_cast %made1 : i64 to index
  %made = tenon.bound %made2 at_most %asked
  %from0 = arith.addi %seq, %step : i64
  %from = arith.index_cast %from0 : i64 to index
  %ids = tenon.state_read @call.ids : tensor<?x?xi64>
  %new = tenon.slice %ids offsets [0, %from] sizes [%s, %made] strides [1, 1] : (tensor<?x?xi64>, index, index, index) -> tensor<?x?xi64>
  %r = tenon.state_read @call.ends : tensor<?xi64>
  %open0 = tenon.compare eq %r, %zeros : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi1>
  %open1 = tenon.and %open0, %used : (tensor<?xi1>, tensor<?xi1>) -> tensor<?xi1>
  %any = tenon.reduce or %open1 over [0] : (tensor<?xi1>) -> tensor<i1>
  %done0 = arith.cmpi sge, %end, %limit : i64
  %done1 = tensor.from_elements %done0 : tensor<i1>
  %closed = tenon.not %any : (tensor<i1>) -> tensor<i1>
  %finished = tenon.or %closed, %done1 : (tensor<i1>, tensor<i1>) -> tensor<i1>
  return %new, %finished : tensor<?x?xi64>, tensor<i1>
}

func.func @result() -> (tensor<?x?xi64> {tenon.name = "sequences"}, tensor<?xi64> {tenon.name = "lengths"}, tensor<?xf32> {tenon.name = "scores"}, tensor<?xi64> {tenon.name = "reasons"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %rows = tenon.get_extent @rows
  %positions = tenon.get_extent @positions
  %numbers = tenon.state_read @call.numbers : tensor<7xi64>
  %s0 = tensor.extract %numbers[%c0] : tensor<7xi64>
  %seq0 = tensor.extract %numbers[%c1] : tensor<7xi64>
  %step0 = tensor.extract %numbers[%c2] : tensor<7xi64>
  %s1 = arith.index_cast %s0 : i64 to index
  %s = tenon.bound %s1 at_most %rows
  %seq = arith.index_cast %seq0 : i64 to index
  %step1 = arith.index_cast %step0 : i64 to index
  %step = tenon.bound %step1 at_most %positions
  %ids = tenon.state_read @call.ids : tensor<?x?xi64>
  %sequences = tenon.slice %ids offsets [0, %seq] sizes [%s, %step] strides [1, 1] : (tensor<?x?xi64>, index, index, index) -> tensor<?x?xi64>
  %e = tenon.state_read @call.ends : tensor<?xi64>
  %told = tenon.slice %e offsets [0] sizes [%s] strides [1] : (tensor<?xi64>, index) -> tensor<?xi64>
  %zero = tenon.constant dense<0> : tensor<i64>
  %zeros = tenon.broadcast_in_dim %zero dims [] sizes [%s] : (tensor<i64>, index) -> tensor<?xi64>
  %four = tenon.constant dense<4> : tensor<i64>
  %fours = tenon.broadcast_in_dim %four dims [] sizes [%s] : (tensor<i64>, index) -> tensor<?xi64>
  %steps0 = tensor.from_elements %step0 : tensor<i64>
  %steps = tenon.broadcast_in_dim %steps0 dims [] sizes [%s] : (tensor<i64>, index) -> tensor<?xi64>
  %ended = tenon.divide %told, %fours : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  %isended0 = tenon.compare gt %told, %zeros : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi1>
  %isended1 = tenon.compare le %ended, %steps : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi1>
  %isended = tenon.and %isended0, %isended1 : (tensor<?xi1>, tensor<?xi1>) -> tensor<?xi1>
  %lengths = tenon.select %isended, %ended, %steps : (tensor<?xi1>, tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  %why = tenon.remainder %told, %fours : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  %reasons = tenon.select %isended, %why, %zeros : (tensor<?xi1>, tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  %floats = tenon.convert %lengths to f32 : (tensor<?xi64>) -> tensor<?xf32>
  %t = tenon.state_read @call.temperature : tensor<f32>
  %ts = tenon.broadcast_in_dim %t dims [] sizes [%s] : (tensor<f32>, index) -> tensor<?xf32>
  %product = tenon.multiply %floats, %ts : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %scores = tenon.negate %product : (tensor<?xf32>) -> tensor<?xf32>
  return %sequences, %lengths, %scores, %reasons : tensor<?x?xi64>, tensor<?xi64>, tensor<?xf32>, tensor<?xi64>
}
