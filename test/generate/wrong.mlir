// A model with the entries of text generation, whose outputs have the extents and values that the option `numbers` chooses:
// rows, columns and id of `advance`; rows, columns and id of the sequences of `result`, rows and values of their lengths, rows of
// scores, rows and values of reasons.
tenon.context_extent @rows 1 to 4 default 1
tenon.context_extent @positions 1 to 64 default 64
tenon.state @numbers : tensor<11xi64>

func.func @start(%ids: tensor<?x?xi64> {tenon.name = "ids", tenon.dims = ["rows", "seq"]},
                 %lengths: tensor<?xi64> {tenon.name = "lengths", tenon.dims = ["rows"]},
                 %keep: tensor<i64> {tenon.name = "keep", tenon.default_value = dense<0> : tensor<i64>},
                 %num_beams: tensor<i64> {tenon.name = "num_beams", tenon.default_value = dense<1> : tensor<i64>},
                 %output_scores: tensor<i1> {tenon.name = "output_scores", tenon.default_value = dense<false> : tensor<i1>},
                 %numbers: tensor<11xi64> {tenon.name = "numbers"})
    -> (tensor<i64> {tenon.name = "prompt"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tenon.get_extent @rows
  %positions = tenon.get_extent @positions
  %batch = tensor.dim %ids, %c0 : tensor<?x?xi64>
  %seq = tensor.dim %ids, %c1 : tensor<?x?xi64>
  tenon.check_size %batch in [%c1, %rows] "start: rows"
  tenon.check_size %seq in [%c1, %positions] "start: columns"
  tenon.state_write @numbers, %numbers : tensor<11xi64>
  return %keep : tensor<i64>
}

func.func @advance(%steps: tensor<i64> {tenon.name = "steps", tenon.default_value = dense<1> : tensor<i64>})
    -> (tensor<?x?xi64> {tenon.name = "ids"}, tensor<i1> {tenon.name = "finished"}) {
  %four = arith.constant 4 : index
  %numbers = tenon.state_read @numbers : tensor<11xi64>
  %at.rows = arith.constant 0 : index
  %rows.i64 = tensor.extract %numbers[%at.rows] : tensor<11xi64>
  %rows.index = arith.index_cast %rows.i64 : i64 to index
  %rows = tenon.bound %rows.index at_most %four
  %at.columns = arith.constant 1 : index
  %columns.i64 = tensor.extract %numbers[%at.columns] : tensor<11xi64>
  %columns.index = arith.index_cast %columns.i64 : i64 to index
  %columns = tenon.bound %columns.index at_most %four
  %at.id = arith.constant 2 : index
  %id.i64 = tensor.extract %numbers[%at.id] : tensor<11xi64>
  %ids.one = tensor.from_elements %id.i64 : tensor<i64>
  %ids = tenon.broadcast_in_dim %ids.one dims [] sizes [%rows, %columns] : (tensor<i64>, index, index) -> tensor<?x?xi64>
  %finished = tenon.constant dense<true> : tensor<i1>
  return %ids, %finished : tensor<?x?xi64>, tensor<i1>
}

func.func @result() -> (tensor<?x?xi64> {tenon.name = "sequences"}, tensor<?xi64> {tenon.name = "lengths"}, tensor<?xf32> {tenon.name = "scores"}, tensor<?xi64> {tenon.name = "reasons"}) {
  %four = arith.constant 4 : index
  %numbers = tenon.state_read @numbers : tensor<11xi64>
  %at.rows = arith.constant 3 : index
  %rows.i64 = tensor.extract %numbers[%at.rows] : tensor<11xi64>
  %rows.index = arith.index_cast %rows.i64 : i64 to index
  %rows = tenon.bound %rows.index at_most %four
  %at.columns = arith.constant 4 : index
  %columns.i64 = tensor.extract %numbers[%at.columns] : tensor<11xi64>
  %columns.index = arith.index_cast %columns.i64 : i64 to index
  %columns = tenon.bound %columns.index at_most %four
  %at.id = arith.constant 5 : index
  %id.i64 = tensor.extract %numbers[%at.id] : tensor<11xi64>
  %sequences.one = tensor.from_elements %id.i64 : tensor<i64>
  %sequences = tenon.broadcast_in_dim %sequences.one dims [] sizes [%rows, %columns] : (tensor<i64>, index, index) -> tensor<?x?xi64>
  %at.length_rows = arith.constant 6 : index
  %length_rows.i64 = tensor.extract %numbers[%at.length_rows] : tensor<11xi64>
  %length_rows.index = arith.index_cast %length_rows.i64 : i64 to index
  %length_rows = tenon.bound %length_rows.index at_most %four
  %at.length = arith.constant 7 : index
  %length.i64 = tensor.extract %numbers[%at.length] : tensor<11xi64>
  %lengths.one = tensor.from_elements %length.i64 : tensor<i64>
  %lengths = tenon.broadcast_in_dim %lengths.one dims [] sizes [%length_rows] : (tensor<i64>, index) -> tensor<?xi64>
  %at.score_rows = arith.constant 8 : index
  %score_rows.i64 = tensor.extract %numbers[%at.score_rows] : tensor<11xi64>
  %score_rows.index = arith.index_cast %score_rows.i64 : i64 to index
  %score_rows = tenon.bound %score_rows.index at_most %four
  %zero = tenon.constant dense<0.0> : tensor<f32>
  %scores = tenon.broadcast_in_dim %zero dims [] sizes [%score_rows] : (tensor<f32>, index) -> tensor<?xf32>
  %at.reason_rows = arith.constant 9 : index
  %reason_rows.i64 = tensor.extract %numbers[%at.reason_rows] : tensor<11xi64>
  %reason_rows.index = arith.index_cast %reason_rows.i64 : i64 to index
  %reason_rows = tenon.bound %reason_rows.index at_most %four
  %at.reason = arith.constant 10 : index
  %reason.i64 = tensor.extract %numbers[%at.reason] : tensor<11xi64>
  %reasons.one = tensor.from_elements %reason.i64 : tensor<i64>
  %reasons = tenon.broadcast_in_dim %reasons.one dims [] sizes [%reason_rows] : (tensor<i64>, index) -> tensor<?xi64>
  return %sequences, %lengths, %scores, %reasons : tensor<?x?xi64>, tensor<?xi64>, tensor<?xf32>, tensor<?xi64>
}
