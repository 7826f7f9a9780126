"""Index in the process: Qdrant Edge.

On disk, a collection is a folder::

    <root>/<collection>/
        format.json   version of this layout, collection name, dimension
        lock          locked by the process that has the shard open
        holder.json   description of that process, for messages
        want/         one ticket for each waiting process
        shard/        files of the engine
        building-*/   a new shard with a graph, and the log of changed documents
"""
