from citeloom.infrastructure.ingest.conversion.pdf.front_matter.bibliography import xmp_values

PACKET = """<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF><rdf:Description>
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">On Lines &amp; Pages</rdf:li></rdf:Alt></dc:title>
<dc:creator><rdf:Seq><rdf:li>Ada Loom</rdf:li><rdf:li>Bo Line</rdf:li></rdf:Seq></dc:creator>
</rdf:Description></rdf:RDF></x:xmpmeta>"""


def test_titles_and_creators_are_read() -> None:
    assert xmp_values(PACKET, "title") == ("On Lines & Pages",)
    assert xmp_values(PACKET, "creator") == ("Ada Loom", "Bo Line")


def test_no_packet_has_no_values() -> None:
    assert xmp_values(None, "title") == ()
    assert xmp_values("<dc:title></dc:title>", "title") == ()
