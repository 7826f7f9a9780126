"""The language of a text, by its function words."""

from support.cases import each

from citeloom.domain.text.words import STOP_WORDS, detect_language, is_foreign_to_english

SENTENCES = {
    "en": (
        "The ponds of the city have been measured on many summer evenings, and it was found "
        "that the air at the shore is cooler than in the street, although the effect is small "
        "and does not reach beyond the first row of houses."
    ),
    "de": (
        "Die Teiche der Stadt wurden an vielen Sommerabenden gemessen, und es zeigte sich, "
        "dass die Luft am Ufer kühler ist als auf der Straße, obwohl die Wirkung klein ist "
        "und nicht über die erste Reihe der Häuser hinaus reicht."
    ),
    "fr": (
        "Les étangs de la ville ont été mesurés pendant de nombreuses soirées d'été, et il "
        "est apparu que l'air sur la rive est plus frais que dans la rue, bien que cet effet "
        "ne soit pas très grand et ne dépasse pas la première rangée de maisons."
    ),
    "es": (
        "Los estanques de la ciudad fueron medidos durante muchas tardes de verano, y se "
        "encontró que el aire en la orilla es más fresco que en la calle, aunque el efecto es "
        "pequeño y no llega más allá de la primera fila de casas."
    ),
    "it": (
        "Gli stagni della città sono stati misurati durante molte sere d'estate, e si è "
        "trovato che l'aria sulla riva è più fresca che nella strada, anche se l'effetto è "
        "piccolo e non va oltre la prima fila delle case che si trovano nel quartiere."
    ),
    "pt": (
        "Os lagos da cidade foram medidos em muitas noites de verão, e verificou-se que o ar "
        "na margem é mais fresco do que na rua, embora o efeito seja pequeno e não chegue "
        "além da primeira fila de casas que ficam no bairro."
    ),
    "nl": (
        "De vijvers van de stad zijn op veel zomeravonden gemeten, en het bleek dat de lucht "
        "aan de oever koeler is dan in de straat, hoewel het effect klein is en niet verder "
        "reikt dan de eerste rij van de huizen in de wijk."
    ),
    "sv": (
        "Dammarna i staden har mätts under många sommarkvällar, och det visade sig att luften "
        "vid stranden är svalare än på gatan, även om effekten är liten och inte når längre "
        "än till den första raden av hus som ligger där."
    ),
    "ru": (
        "Пруды в городе измеряли в течение многих летних вечеров, и оказалось, что воздух у "
        "берега прохладнее, чем на улице, хотя этот эффект не так велик и не доходит до того "
        "места, где стоят дома, которые были построены за вторым рядом."
    ),
}
OTHERS = {
    "Japanese": "都市の池を多くの夏の夕方に測定したところ、岸辺の空気は涼しい。" * 5,
    "Polish": (
        "Stawy miejskie mierzono przez wiele letnich wieczorów i okazało się, że powietrze "
        "przy brzegu jest chłodniejsze niż na ulicy, chociaż efekt ten jest niewielki i nie "
        "sięga dalej niż do pierwszego rzędu domów, które stoją w tej dzielnicy."
    ),
    "too short": "The air at the shore is cool.",
    "numbers": "1.74 0.33 22 9 " * 40,
    "names": "Smith Jones Miller Brown Taylor Wilson Evans Thomas Roberts Johnson " * 4,
    "nothing": "",
}


@each("code", STOP_WORDS)
def test_each_listed_language_is_told_from_one_long_sentence(code: str) -> None:
    assert len(SENTENCES[code].split()) >= 30
    assert detect_language(SENTENCES[code]) == code


@each("kind", OTHERS)
def test_what_is_in_no_listed_language_is_not_guessed(kind: str) -> None:
    assert detect_language(OTHERS[kind]) is None


def test_two_languages_in_equal_parts_are_undecided() -> None:
    assert detect_language(SENTENCES["en"] + " " + SENTENCES["de"]) is None


def test_a_foreign_quotation_does_not_change_the_language_of_a_paper() -> None:
    assert detect_language(SENTENCES["en"] * 4 + SENTENCES["de"]) == "en"


@each("code", STOP_WORDS)
def test_stop_words_are_lower_case_words(code: str) -> None:
    assert all(word == word.casefold() and word.isalpha() for word in STOP_WORDS[code])
    # What papers are about is never a stop word.
    assert STOP_WORDS[code].isdisjoint({"research", "results", "effect", "system", "method"})


@each(
    "question",
    [
        "¿Cuánto enfría un estanque pequeño el aire de la tarde?",
        "Wie stark kühlt ein kleiner Teich die Abendluft?",
        "Quels sont les effets des étangs sur la température ?",
        "Wat is het effect van vijvers op de temperatuur?",
        "Quali sono gli effetti della lettura?",
        "Как пруды охлаждают воздух?",
        "小さな池は夕方の空気をどれだけ冷やすか",
        "연못은 공기를 얼마나 식히는가?",
    ],
)
def test_questions_in_other_languages_are_foreign_to_english(question: str) -> None:
    assert is_foreign_to_english(question)


@each(
    "question",
    [
        "How much cooler is the air beside a small pond?",
        "van der Waals forces in de Sitter space",
        "What does Der Spiegel say about die Welt?",
        "La Niña effects on rainfall",
        "El Niño and La Niña",
        "die casting of aluminium",
        "pros and cons of in vivo studies",
        "Leptin treatment ameliorates anxiety in ob/ob obese mice",
        "α-synuclein aggregation",
        "λ",
        "DNA",
        "",
    ],
)
def test_english_questions_and_names_are_not(question: str) -> None:
    assert not is_foreign_to_english(question)
