"""All rows of TensorFlow's operators: operands and expected results.

Expected results come from numpy, by the formulas of the operators'
documentation. Constant operands are in the graph; others are fed.
"""
# Keep this order: all modules draw their operands from one random stream.
from elementwise_rows import BINARY, UNARY
from array_rows import INDEXING, MOVEMENT, REDUCTIONS
from matrix_rows import MATRICES
from image_rows import IMAGES
from complex_rows import COMPLEX
from gradient_rows import GRADIENTS
from random_rows import RANDOMS

FAMILIES = {
    "unary": UNARY, "binary": BINARY, "movement": MOVEMENT,
    "indexing": INDEXING, "matrices": MATRICES, "reductions": REDUCTIONS,
    "images": IMAGES, "complex": COMPLEX, "gradients": GRADIENTS, "random": RANDOMS,
}
