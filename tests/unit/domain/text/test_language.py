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
    "da": (
        "Byens damme blev målt på mange sommeraftener, og det viste sig, at luften ved bredden er "
        "køligere end på gaden, selv om virkningen er lille og ikke når længere ud end til den "
        "første række af huse, som ligger der."
    ),
    "no": (
        "Byens dammer ble målt på mange sommerkvelder, og det viste seg at luften ved bredden er "
        "kjøligere enn på gaten, selv om virkningen er liten og ikke når lenger ut enn til den "
        "første rekken av hus som ligger der og har vært der."
    ),
    "fi": (
        "Kaupungin lammet on mitattu monina kesäiltoina, ja on havaittu, että ilma rannalla on "
        "viileämpää kuin kadulla, vaikka vaikutus ei ole suuri ja se ulottuu vain ensimmäiseen "
        "taloriviin, joka on niiden vieressä, mutta ei sen yli tai myös kauemmas."
    ),
    "hu": (
        "A város tavait sok nyári estén mérték meg, és az derült ki, hogy a levegő a parton "
        "hűvösebb, mint az utcán, de ez a hatás nem nagy, és csak az első házsorig ér el, amely a "
        "tavak mellett van, és nem is volt ez több."
    ),
    "ro": (
        "Iazurile din oraș au fost măsurate în multe seri de vară și s-a constatat că aerul de pe "
        "mal este mai răcoros decât pe stradă, dar efectul nu este mare și se simte numai la "
        "primul rând de case, dintre cele ce sunt acolo."
    ),
    "tr": (
        "Kentteki göletler birçok yaz akşamı ölçüldü ve kıyıdaki havanın sokaktan daha serin "
        "olduğu görüldü, ancak bu etki çok büyük değil ve en yakın ev sırası için bile az, bu da "
        "göl kadar önemli olan bir başka sonuç olarak ya da neden ile ilgili."
    ),
    "el": (
        "Οι λίμνες της πόλης μετρήθηκαν πολλά καλοκαιρινά βράδια και βρέθηκε ότι ο αέρας στην όχθη "
        "είναι πιο δροσερός από τον δρόμο, αλλά η επίδραση δεν είναι μεγάλη και φτάνει μόνο μέχρι "
        "την πρώτη σειρά των σπιτιών που είναι στην περιοχή."
    ),
    "ar": (
        "تم قياس برك المدينة في كثير من أمسيات الصيف وقد تبين أن الهواء على الشاطئ أبرد من الهواء "
        "في الشارع ولكن هذا الأثر ليس كبيرا ولا يصل إلى ما بعد الصف الأول من البيوت التي كانت هناك "
        "منذ وقت طويل عند هذه البرك."
    ),
}
OTHERS = {
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


@each(
    ("text", "code"),
    [
        ("都市の池を多くの夏の夕方に測定したところ、岸辺の空気は涼しい。" * 5, "ja"),
        ("我们在夏天的傍晚测量了城市的池塘，岸边的空气比街上凉。" * 5, "zh"),
        ("도시의 연못을 여름 저녁에 여러 번 측정했다. 물가의 공기가 더 시원하다. " * 5, "ko"),
        ("บ่อน้ำทำให้อากาศในเมืองเย็นลงในตอนเย็น" * 5, "th"),
        ("A paper about 池塘 and other ponds of the town. " * 5, "en"),
    ],
)
def test_a_script_of_one_language_tells_it(text: str, code: str) -> None:
    assert detect_language(text) == code


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
        "¿cuántos estudiantes participaron en el taller?",
        "Quantos estudantes participaram no curso?",
        "pourquoi les systèmes échouent",
        "Warum scheitern Systeme?",
        "Wie stark kühlt ein kleiner Teich die Abendluft?",
        "Quels sont les effets des étangs sur la température ?",
        "Wat is het effect van vijvers op de temperatuur?",
        "Quali sono gli effetti della lettura?",
        "Как пруды охлаждают воздух?",
        "小さな池は夕方の空気をどれだけ冷やすか",
        "연못은 공기를 얼마나 식히는가?",
        "Hvor meget køler en lille dam luften om aftenen?",
        "Kuinka paljon lampi viilentää ilmaa ja mitä se on?",
        "Πόσο δροσίζει μια λίμνη τον αέρα;",
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
        "comment sections and why people read them",
        "hoe use in maize fields",
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
