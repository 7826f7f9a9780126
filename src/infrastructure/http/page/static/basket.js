// Quotations that are kept in this browser, put in order, shortened, and saved as Markdown, Word or
// BibTeX.
import { download } from "./requests.js";

const NAME = "citeloom.basket";
const LEFT_OUT = /\s*\[(?:…|\.\.\.)\]\s*/;

// Whether ``words`` are whole words of ``source`` in their order, with […] for what is left out.
function isShortened(words, source) {
  const isLetter = (place) => /[\p{L}\p{N}]/u.test(source[place] ?? "");
  const cuts = (place) => isLetter(place - 1) && isLetter(place);
  const parts = words.split(LEFT_OUT).filter(Boolean);
  let at = 0;
  return (
    parts.length > 0 &&
    parts.every((part) => {
      let found = source.indexOf(part, at);
      while (found >= 0 && (cuts(found) || cuts(found + part.length))) found = source.indexOf(part, found + 1);
      at = found + part.length;
      return found >= 0;
    })
  );
}

function button(text, name, work) {
  const made = document.createElement("button");
  Object.assign(made, { type: "button", className: "small", textContent: text, title: name });
  made.setAttribute("aria-label", name);
  made.addEventListener("click", work);
  return made;
}

export class Basket {
  constructor(place, tell) {
    this.place = place;
    this.tell = tell;
    this.before = [];
    this.undo = place.querySelector("#basket-undo");
    this.undo.addEventListener("click", () => this.store(this.before.pop()));
    for (const button of place.querySelectorAll("[data-export]")) {
      button.addEventListener("click", () => this.exported(button.dataset.export));
    }
    place.querySelector("#basket-save").addEventListener("click", () => this.save());
    place.querySelector("#basket-clear").addEventListener("click", () => {
      this.write([]);
      tell("The basket is empty; “Undo” brings the quotations back");
    });
    addEventListener("storage", () => this.show());
    this.show();
  }

  read() {
    try {
      const kept = JSON.parse(localStorage.getItem(NAME) ?? "[]");
      return Array.isArray(kept) ? kept.filter((one) => typeof one?.text === "string") : [];
    } catch {
      return [];
    }
  }

  write(kept) {
    this.before.push(this.read());
    this.store(kept);
  }

  store(kept) {
    localStorage.setItem(NAME, JSON.stringify(kept));
    this.show();
  }

  keep(text, rest) {
    const kept = this.read();
    if (!kept.some((one) => one.text === text)) this.write([...kept, { text, ...rest }]);
  }

  show() {
    const kept = this.read();
    this.undo.hidden = this.before.length === 0;
    this.place.hidden = kept.length === 0 && this.undo.hidden;
    this.place.querySelector(".count").textContent = `(${kept.length})`;
    this.place.querySelector("ol").replaceChildren(
      ...kept.map((one, at) => {
        const entry = document.createElement("li");
        entry.textContent = one.text;
        if (one.note) {
          const note = document.createElement("span");
          note.className = "note";
          note.textContent = ` (${one.note})`;
          entry.append(note);
        }
        const others = kept.toSpliced(at, 1);
        const move = (to) => () => this.write(others.toSpliced(to, 0, one));
        const tools = document.createElement("span");
        tools.className = "group";
        if (at > 0) tools.append(button("↑", `Move ${at + 1} up`, move(at - 1)));
        if (at < kept.length - 1) tools.append(button("↓", `Move ${at + 1} down`, move(at + 1)));
        if (one.words) tools.append(button("Shorten", `Shorten ${at + 1}`, () => this.shorten(entry, kept, at)));
        tools.append(button("Remove", `Remove ${at + 1}`, () => this.write(others)));
        entry.append(" ", tools);
        return entry;
      }),
    );
  }

  // A quotation stays one: its words can be left out, not changed.
  shorten(entry, kept, at) {
    const one = kept[at];
    const source = one.source_words ?? one.words;
    const form = document.createElement("form");
    const field = document.createElement("textarea");
    Object.assign(field, { value: one.words, rows: 3 });
    field.setAttribute("aria-label", "Words of the quotation, with […] for what is left out");
    const save = Object.assign(document.createElement("button"), { textContent: "Save" });
    form.append(field, save, button("Cancel", "Cancel", () => this.show()));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const words = field.value.split(/\s+/).filter(Boolean).join(" ");
      if (!isShortened(words, source)) return this.tell("Use only words of the paper, with […] for what you leave out");
      const text = `“${words}” ${one.citation}`;
      this.write(kept.with(at, { ...one, text, words, source_words: source }));
    });
    entry.replaceChildren(form);
    field.focus();
  }

  save() {
    const text = this.read().map((one) => `${one.text}${one.note ? ` (${one.note})` : ""}\n`).join("\n");
    download(new Blob([text], { type: "text/markdown" }), "quotations.md");
  }

  // Those that were kept by an earlier version do not say their project.
  async exported(format) {
    const kept = this.read().filter((one) => one.project && one.words && one.citation);
    if (!kept.length) return this.tell("Keep these quotations again; they do not name their project");
    try {
      const answer = await fetch("/api/v1/exports/quotations", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          format,
          quotations: kept.map(({ project, words, citation }) => ({ project, text: words, citation })),
        }),
      });
      if (!answer.ok) throw new Error((await answer.json()).detail);
      download(await answer.blob(), format === "docx" ? "quotations.docx" : "quotations.bib");
    } catch (error) {
      this.tell(error.message);
    }
  }
}
