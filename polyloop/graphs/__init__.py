"""Programs, and decisions about them, as graphs.

`trees.TreeGraphs` makes the graphs of schedule trees, `nests.NestGraphs` those of any nest given row by row,
All are `program_graph.ProgramGraph`s with the features of
`features`; `padding.GraphSize` pads them.
"""
