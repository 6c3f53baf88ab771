// The op families whose C++ code is generated as one set of files.
include "dialects/tenon/Elementwise.td"
include "dialects/tenon/Contraction.td"
include "dialects/tenon/Reduction.td"
include "dialects/tenon/Movement.td"
include "dialects/tenon/Indexing.td"
include "dialects/tenon/Composite.td"
include "dialects/tenon/Structure.td"
include "dialects/tenon/Annotations.td"
