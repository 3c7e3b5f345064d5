from triton.language.core import _aggregate as aggregate
