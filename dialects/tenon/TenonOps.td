// All families, for one set of generated files.
include "dialects/tenon/Elementwise.td"
include "dialects/tenon/Contraction.td"
include "dialects/tenon/Reduction.td"
include "dialects/tenon/Movement.td"
include "dialects/tenon/Indexing.td"
include "dialects/tenon/Composite.td"
include "dialects/tenon/Structure.td"
include "dialects/tenon/Annotations.td"
