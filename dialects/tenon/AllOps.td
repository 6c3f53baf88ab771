// Every op and attribute of the dialect: the families of TenonOps.td and those
// generated apart.
include "dialects/tenon/TenonOps.td"
include "dialects/tenon/Packing.td"
include "dialects/tenon/Quantization.td"
include "dialects/tenon/Device.td"
include "dialects/tenon/State.td"
include "dialects/tenon/Machine.td"
include "dialects/tenon/KernelPlan.td"
