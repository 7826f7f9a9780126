"""The index in the process: Qdrant Edge.

On disk, a collection is a folder::

    <root>/<collection>/
        format.json   version of this layout, collection name, dimension
        lock          locked by the process that has the shard open
        holder.json   who that is, for messages
        want/         one ticket for each process that waits
        shard/        the engine's files
        building-*/   a new shard with a graph, and the documents changed meanwhile
"""
