// Quotations that are kept in this browser, and saved as Markdown, Word or BibTeX.
import { download } from "./requests.js";

const NAME = "citeloom.basket";

export class Basket {
  constructor(place, tell) {
    this.place = place;
    this.tell = tell;
    for (const button of place.querySelectorAll("[data-export]")) {
      button.addEventListener("click", () => this.exported(button.dataset.export));
    }
    place.querySelector("#basket-save").addEventListener("click", () => this.save());
    place.querySelector("#basket-clear").addEventListener("click", () => {
      this.write([]);
      tell("The basket is empty");
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
    localStorage.setItem(NAME, JSON.stringify(kept));
    this.show();
  }

  keep(text, rest) {
    const kept = this.read();
    if (!kept.some((one) => one.text === text)) this.write([...kept, { text, ...rest }]);
  }

  show() {
    const kept = this.read();
    this.place.hidden = kept.length === 0;
    this.place.querySelector(".count").textContent = `(${kept.length})`;
    this.place.querySelector("ol").replaceChildren(
      ...kept.map((one) => {
        const entry = document.createElement("li");
        entry.textContent = one.text;
        if (one.note) {
          const note = document.createElement("span");
          note.className = "note";
          note.textContent = ` (${one.note})`;
          entry.append(note);
        }
        return entry;
      }),
    );
  }

  save() {
    const text = this.read().map((one) => `${one.text}${one.note ? ` (${one.note})` : ""}\n`).join("\n");
    download(new Blob([text], { type: "text/markdown" }), "quotations.md");
  }

  // Those that were kept by an earlier version do not say their project.
  async exported(format) {
    const kept = this.read().filter((one) => one.project && one.words && one.citation);
    if (!kept.length) return this.tell("Keep the quotations again: these do not say their project");
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
