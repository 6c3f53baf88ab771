// Every op of the dialect for its reference page: the families of TenonOps.td
// and those generated apart.
include "dialects/tenon/TenonOps.td"
include "dialects/tenon/Packing.td"
include "dialects/tenon/Quantization.td"
include "dialects/tenon/State.td"
