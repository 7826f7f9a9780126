"""What a page draws, by pdfium: shapes, rules, pictures, and which text a reader sees.

``pdfium_objects`` the painted objects from the lowest to the topmost · ``painted_paths`` boxes
of shapes and lines · ``connected_boxes`` boxes that touch, merged · ``hidden_text`` text that a
reader does not see, with ``rendered_text`` as the arbiter · ``page_objects`` all of it for a page ·
``readable_words`` which hidden words are read all the same · ``form_fields`` what is filled into
forms.
"""
