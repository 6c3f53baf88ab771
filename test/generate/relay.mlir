// A text model with an encoder, without weights. The new ids count upwards, modulo 64, from three times the sum of the ids that the
// encoder reads plus the sum of the decoder's prompt. With keep_encoder the first sum is that of the call before, and pads are
// skipped by the lengths: so a wrong flag or length gives another text.
tenon.context_extent @rows 1 to 256 default 1
tenon.context_extent @positions 1 to 64 default 64
tenon.context_extent @items 1 to 256 default 1
tenon.context_extent @encoder_positions 1 to 32 default 32
tenon.state @source : tensor<?xi64> extents [@items]
tenon.state @last : tensor<?xi64> extents [@rows]
// The prompts, the limit of steps and the steps made.
tenon.state @numbers : tensor<3xi64>

func.func private @row_sums(%ids: tensor<?x?xi64>, %from: tensor<?xi64>, %to: tensor<?xi64>) -> tensor<?xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %ids, %c0 : tensor<?x?xi64>
  %columns = tensor.dim %ids, %c1 : tensor<?x?xi64>
  %column = tenon.iota dim 1 sizes [%rows, %columns] : (index, index) -> tensor<?x?xi64>
  %first = tenon.broadcast_in_dim %from dims [0] sizes [%rows, %columns] : (tensor<?xi64>, index, index) -> tensor<?x?xi64>
  %end = tenon.broadcast_in_dim %to dims [0] sizes [%rows, %columns] : (tensor<?xi64>, index, index) -> tensor<?x?xi64>
  %after = tenon.compare ge %column, %first : (tensor<?x?xi64>, tensor<?x?xi64>) -> tensor<?x?xi1>
  %before = tenon.compare lt %column, %end : (tensor<?x?xi64>, tensor<?x?xi64>) -> tensor<?x?xi1>
  %real = tenon.and %after, %before : (tensor<?x?xi1>, tensor<?x?xi1>) -> tensor<?x?xi1>
  %zero = tenon.constant dense<0> : tensor<i64>
  %zeros = tenon.broadcast_in_dim %zero dims [] sizes [%rows, %columns] : (tensor<i64>, index, index) -> tensor<?x?xi64>
  %summed = tenon.select %real, %ids, %zeros : (tensor<?x?xi1>, tensor<?x?xi64>, tensor<?x?xi64>) -> tensor<?x?xi64>
  %sums = tenon.reduce add %summed over [1] : (tensor<?x?xi64>) -> tensor<?xi64>
  return %sums : tensor<?xi64>
}

func.func @start(%ids: tensor<?x?xi64> {tenon.name = "ids", tenon.dims = ["rows", "seq"]},
                 %lengths: tensor<?xi64> {tenon.name = "lengths", tenon.dims = ["rows"]},
                 %keep: tensor<i64> {tenon.name = "keep", tenon.default_value = dense<0> : tensor<i64>},
                 %encoder_ids: tensor<?x?xi64> {tenon.name = "encoder_ids", tenon.dims = ["rows", "encoder_seq"]},
                 %encoder_lengths: tensor<?xi64> {tenon.name = "encoder_lengths", tenon.dims = ["rows"]},
                 %keep_encoder: tensor<i1> {tenon.name = "keep_encoder", tenon.default_value = dense<false> : tensor<i1>},
                 %decoder_start_token_id: tensor<i64> {tenon.name = "decoder_start_token_id", tenon.default_value = dense<7> : tensor<i64>},
                 %max_new_tokens: tensor<i64> {tenon.name = "max_new_tokens", tenon.default_value = dense<-1> : tensor<i64>, tenon.input_range = array<i64: -1, 60>},
                 %pad_token_id: tensor<i64> {tenon.name = "pad_token_id", tenon.default_value = dense<63> : tensor<i64>},
                 %eos_token_id: tensor<?xi64> {tenon.name = "eos_token_id", tenon.dims = ["eos"], tenon.default_value = dense<> : tensor<0xi64>})
    -> (tensor<i64> {tenon.name = "prompt"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i64
  %batch = tensor.dim %ids, %c0 : tensor<?x?xi64>
  %seq = tensor.dim %ids, %c1 : tensor<?x?xi64>
  %columns = tensor.dim %encoder_ids, %c1 : tensor<?x?xi64>
  %rows = tenon.get_extent @rows
  %items = tenon.get_extent @items
  %positions = tenon.get_extent @positions
  %most = tenon.get_extent @encoder_positions
  tenon.check_size %seq in [%c1, %positions] "start: the columns of ids"
  tenon.check_size %columns in [%c1, %most] "start: the columns of encoder_ids"
  tenon.check_size %batch in [%c1, %rows] "start: the rows of the context"
  tenon.check_size %batch in [%c1, %items] "start: the items of the context"
  %b = tenon.bound %batch at_most %rows
  %seq0 = arith.index_cast %seq : index to i64
  %seq1 = tensor.from_elements %seq0 : tensor<i64>
  %zero = tenon.constant dense<0> : tensor<i64>
  %zeros = tenon.broadcast_in_dim %zero dims [] sizes [%batch] : (tensor<i64>, index) -> tensor<?xi64>
  %seqs = tenon.broadcast_in_dim %seq1 dims [] sizes [%batch] : (tensor<i64>, index) -> tensor<?xi64>
  %keeps = tensor.extract %keep_encoder[] : tensor<i1>
  %no = arith.constant false
  %computes = arith.cmpi eq, %keeps, %no : i1
  scf.if %computes {
    %sums = func.call @row_sums(%encoder_ids, %zeros, %encoder_lengths) : (tensor<?x?xi64>, tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
    %old = tenon.state_read @source : tensor<?xi64>
    %new = tenon.dynamic_update_slice %old, %sums at [0] : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
    tenon.state_write @source, %new : tensor<?xi64>
  }
  %all = tenon.state_read @source : tensor<?xi64>
  %source = tenon.slice %all offsets [0] sizes [%batch] strides [1] : (tensor<?xi64>, index) -> tensor<?xi64>
  %pads = tenon.subtract %seqs, %lengths : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  %own = func.call @row_sums(%ids, %pads, %seqs) : (tensor<?x?xi64>, tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  %twice = tenon.add %source, %source : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  %thrice = tenon.add %twice, %source : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  %first = tenon.add %thrice, %own : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  %last = tenon.state_read @last : tensor<?xi64>
  %last1 = tenon.dynamic_update_slice %last, %first at [0] : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  tenon.state_write @last, %last1 : tensor<?xi64>
  %n = tensor.extract %max_new_tokens[] : tensor<i64>
  %given = arith.cmpi sge, %n, %z : i64
  %twenty = arith.constant 20 : i64
  %limit = arith.select %given, %n, %twenty : i64
  %b0 = arith.index_cast %b : index to i64
  %numbers = tensor.from_elements %b0, %limit, %z : tensor<3xi64>
  tenon.state_write @numbers, %numbers : tensor<3xi64>
  return %seq1 : tensor<i64>
}

// The ids number %from to below %from + %count of each prompt.
func.func private @texts(%from: tensor<i64>, %count: index) -> tensor<?x?xi64> {
  %c0 = arith.constant 0 : index
  %rows = tenon.get_extent @rows
  %numbers = tenon.state_read @numbers : tensor<3xi64>
  %b0 = tensor.extract %numbers[%c0] : tensor<3xi64>
  %b1 = arith.index_cast %b0 : i64 to index
  %b = tenon.bound %b1 at_most %rows
  %all = tenon.state_read @last : tensor<?xi64>
  %last = tenon.slice %all offsets [0] sizes [%b] strides [1] : (tensor<?xi64>, index) -> tensor<?xi64>
  %base = tenon.broadcast_in_dim %last dims [0] sizes [%b, %count] : (tensor<?xi64>, index, index) -> tensor<?x?xi64>
  %start = tenon.broadcast_in_dim %from dims [] sizes [%b, %count] : (tensor<i64>, index, index) -> tensor<?x?xi64>
  %column = tenon.iota dim 1 sizes [%b, %count] : (index, index) -> tensor<?x?xi64>
  %sum = tenon.add %base, %start : (tensor<?x?xi64>, tensor<?x?xi64>) -> tensor<?x?xi64>
  %id = tenon.add %sum, %column : (tensor<?x?xi64>, tensor<?x?xi64>) -> tensor<?x?xi64>
  %mod = tenon.constant dense<64> : tensor<i64>
  %mods = tenon.broadcast_in_dim %mod dims [] sizes [%b, %count] : (tensor<i64>, index, index) -> tensor<?x?xi64>
  %ids = tenon.remainder %id, %mods : (tensor<?x?xi64>, tensor<?x?xi64>) -> tensor<?x?xi64>
  return %ids : tensor<?x?xi64>
}

func.func @advance(%steps: tensor<i64> {tenon.name = "steps", tenon.default_value = dense<1> : tensor<i64>, tenon.input_range = array<i64: 0, 64>})
    -> (tensor<?x?xi64> {tenon.name = "ids"}, tensor<i1> {tenon.name = "finished"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %positions = tenon.get_extent @positions
  %numbers = tenon.state_read @numbers : tensor<3xi64>
  %b = tensor.extract %numbers[%c0] : tensor<3xi64>
  %limit = tensor.extract %numbers[%c1] : tensor<3xi64>
  %made = tensor.extract %numbers[%c2] : tensor<3xi64>
  %asked = tensor.extract %steps[] : tensor<i64>
  %left = arith.subi %limit, %made : i64
  %more = arith.minsi %asked, %left : i64
  %more0 = arith.index_cast %more : i64 to index
  %count = tenon.bound %more0 at_most %positions
  %from = tensor.from_elements %made : tensor<i64>
  %ids = func.call @texts(%from, %count) : (tensor<i64>, index) -> tensor<?x?xi64>
  %now = arith.addi %made, %more : i64
  %numbers1 = tensor.from_elements %b, %limit, %now : tensor<3xi64>
  tenon.state_write @numbers, %numbers1 : tensor<3xi64>
  %done = arith.cmpi sge, %now, %limit : i64
  %finished = tensor.from_elements %done : tensor<i1>
  return %ids, %finished : tensor<?x?xi64>, tensor<i1>
}

func.func @result() -> (tensor<?x?xi64> {tenon.name = "sequences"}, tensor<?xi64> {tenon.name = "lengths"}, tensor<?xf32> {tenon.name = "scores"}, tensor<?xi64> {tenon.name = "reasons"}) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %positions = tenon.get_extent @positions
  %numbers = tenon.state_read @numbers : tensor<3xi64>
  %made = tensor.extract %numbers[%c2] : tensor<3xi64>
  %made0 = arith.index_cast %made : i64 to index
  %count = tenon.bound %made0 at_most %positions
  %from = tenon.constant dense<0> : tensor<i64>
  %ids = func.call @texts(%from, %count) : (tensor<i64>, index) -> tensor<?x?xi64>
  %b = tensor.dim %ids, %c0 : tensor<?x?xi64>
  %madet = tensor.from_elements %made : tensor<i64>
  %lengths = tenon.broadcast_in_dim %madet dims [] sizes [%b] : (tensor<i64>, index) -> tensor<?xi64>
  %scores = tenon.convert %lengths to f32 : (tensor<?xi64>) -> tensor<?xf32>
  %two = tenon.constant dense<2> : tensor<i64>
  %reasons = tenon.broadcast_in_dim %two dims [] sizes [%b] : (tensor<i64>, index) -> tensor<?xi64>
  return %ids, %lengths, %scores, %reasons : tensor<?x?xi64>, tensor<?xi64>, tensor<?xf32>, tensor<?xi64>
}
