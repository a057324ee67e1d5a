# ruff: noqa: RUF001 -- letters of other scripts are meant
import pytest

from pit_memory.core.text.languages import (
    LANGUAGES,
    language_name,
    language_of,
    language_of_question,
    languages_of,
)
from tests.eval_corpora import corpus_files, json_lines


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The key is rotated every night, and you need not do anything.", "en"),
        ("Der Schlüssel wird jede Nacht gewechselt, ohne dass man etwas tun muss.", "de"),
        ("La clé est changée chaque nuit, sans que vous ayez à agir.", "fr"),
        ("La clave se cambia cada noche sin que el usuario tenga que hacer nada.", "es"),
        ("La chiave viene cambiata ogni notte, non è necessario fare nulla.", "it"),
        ("A chave é trocada todas as noites, e não é preciso fazer nada.", "pt"),
        ("De sleutel wordt elke nacht vervangen en je hoeft niet iets te doen.", "nl"),
        ("Nyckeln byts varje natt och du behöver inte göra något för att det ska ske.", "sv"),
        ("Klucz jest zmieniany co noc i nie trzeba nic robić, aby to się stało.", "pl"),
        ("Ключ меняется каждую ночь, ничего делать не нужно.", "ru"),
        ("Ключ змінюється щоночі, і нічого робити не потрібно.", "uk"),
        ("密钥每晚轮换，无需执行任何操作。", "zh"),
        ("使用 kubectl apply -f deployment.yaml 部署应用程序，然后检查状态。", "zh"),
        ("鍵は毎晩交換されます。何もする必要はありません。", "ja"),
        ("키는 매일 밤 교체됩니다.", "ko"),
        ("กุญแจจะถูกเปลี่ยนทุกคืน", "th"),
        ("कुंजी हर रात बदली जाती है", "hi"),
    ],
)
def test_a_language_is_told_by_its_script_and_its_joints(text, language):
    assert language_of(text) == language


@pytest.mark.parametrize(
    "text", ["", "kubectl get pods -A", "a e o i", "MAX_TOKENS=5 🙂", "naïve café"]
)
def test_what_shows_no_language_has_that_of_its_document(text):
    assert language_of(text) == "en"


@pytest.mark.parametrize(
    "text",
    [
        "humio.com/Action humio.com/Alert humio.com/Cluster humio.com/Parser humio.com/Repository",
        "Add these to `main.go`: go, /go/bin, ./go/pkg, go.mod, go.sum and the go toolchain.",
        "Memory spikes per request in the server, per cluster",
        "Red Hat OpenShift: alerts firing in Red Hat OpenShift in production, fixed by Red Hat",
    ],
)
def test_one_word_repeated_shows_no_language(text):
    assert language_of(text) == "en"
    assert languages_of([text, ENGLISH]) == ["en", "en"]


@pytest.mark.parametrize(
    "text",
    [
        "page 1\nDiagram by van den Berg; figures 2, 7, 9; new schema below",
        "Triage board: ER wait, den B, bay 4, cot 7, nurse station, ward, exit",
        "Editors: use vi; the SIG notes say which modes are on",
        "Los Angeles, CA 90012\nLA Kings: season tickets, parking, shuttle, map, rules, contact",
        "CONTACT johan.elf@icm.uu.se; johan.hattne@embl-hamburg.de SUPPLEMENTARY INFORMATION",
    ],
)
def test_two_words_of_another_language_on_a_short_page_are_chance(text):
    assert language_of(text) == "en"
    assert languages_of([text]) == ["en"]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Der Server startet nicht", "de"),
        ("Milch kaufen und zum Arzt", "de"),
        ("Nøglen skiftes hver nat, og den gamle kan ikke bruges", "da"),
        ("Le serveur est en panne", "fr"),
        ("La clave no sirve para el servidor", "es"),
        ("De server is niet bereikbaar", "nl"),
        ("Il server non risponde, e la chiave è scaduta", "it"),
    ],
)
def test_a_short_sentence_shows_its_language(text, language):
    assert language_of(text) == language


GERMAN = "Der Schlüssel wird jede Nacht gewechselt, ohne dass man etwas tun muss. "
ENGLISH = "The key is rotated every night, and you need not do anything."


@pytest.mark.parametrize(
    ("sections", "languages"),
    [
        ([], []),
        ([GERMAN * 3, "kubectl get pods", ENGLISH], ["de", "de", "en"]),
        (["kubectl get pods", "密钥每晚轮换，无需执行任何操作。" * 9, "E2E"], ["zh", "zh", "zh"]),
        (["das gewechselte", "kubectl", "der Schlüssel"], ["de", "de", "de"]),
        ([GERMAN * 300, "kubectl get pods", ENGLISH * 900], ["de", "de", "en"]),
    ],
    ids=["none", "own", "script", "only together", "a long document's beginning"],
)
def test_a_section_that_shows_no_language_has_that_of_all_sections(sections, languages):
    assert languages_of(sections) == languages


@pytest.mark.parametrize(
    ("question", "known", "language"),
    [
        ("rotate keys", {"en": 9, "de": 1}, "en"),
        ("rotate keys", {"de": 9, "en": 1}, "de"),
        ("how do we rotate the keys", {"de": 9, "en": 1}, "en"),
        ("Schlüssel drehen", {"en": 9, "de": 1}, "de"),
        ("wie Keys rotieren", {"en": 9, "de": 1}, "de"),
        ("Schlüssel", {"en": 9}, "en"),
        ("requests per second", {"en": 900, "it": 1}, "en"),
        ("github.com webhook secret", {"en": 900, "pt": 9}, "en"),
        ("come si ruota la chiave", {"en": 900, "it": 1}, "it"),
        ("ключ", {"en": 9}, "ru"),
        ("where is the config", {"zh": 9}, "en"),
        ("which config", {"zh": 9}, "en"),
        ("kubectl", {"zh": 9}, "zh"),
        ("kubectl", {}, "en"),
    ],
)
def test_a_question_is_in_a_language_of_the_documents(question, known, language):
    assert language_of_question(question, known) == language


def test_languages_have_names():
    assert language_name("de") == "German"
    assert all(language_name(code).istitle() for code in LANGUAGES)


@pytest.mark.parametrize("eval_set", ["argocd-docs", "obsidian-tasks-vault", "k8s-alerts"])
def test_pages_in_english_are_seldom_taken_for_others(eval_set):
    texts = [data.decode(errors="replace") for data in corpus_files(eval_set).values()]
    others = [text[:200] for text in texts if language_of(text) != "en"]
    assert len(others) <= 0.01 * len(texts)


@pytest.mark.parametrize("language", ["en", "de", "ru", "zh"])
def test_questions_are_told_apart(language):
    known = dict.fromkeys(("en", "de", "ru", "zh"), 1)
    asked = [it["query"] for it in json_lines("eval/xquad/queries.jsonl") if it["type"] == language]
    wrong = [text for text in asked if language_of_question(text, known) != language]
    assert len(wrong) <= 0.02 * len(asked)
