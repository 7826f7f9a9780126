"""Tables: regions on a page, lines of a table, grid of cells.

``table_regions`` regions held together by rules · ``side_tables`` tables beside running text ·
``tables`` lines of a table, ruled or not · ``grids`` grid, cells, rules · ``ruled_grid`` cells
between rules · ``unruled_grid`` cells by white space, with ``grid_columns``, ``grid_rows`` and
``wrapped_cells``.
"""
