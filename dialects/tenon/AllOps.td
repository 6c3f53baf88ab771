// All op families, included for the reference page: those of TenonOps.td and
// the three whose code is generated separately.
include "dialects/tenon/TenonOps.td"
include "dialects/tenon/Packing.td"
include "dialects/tenon/Quantization.td"
include "dialects/tenon/State.td"
