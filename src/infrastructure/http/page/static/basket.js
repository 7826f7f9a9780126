// Quotations that are kept in this browser, and saved as Markdown.
const NAME = "citeloom.basket";

export class Basket {
  constructor(place, tell) {
    this.place = place;
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

  keep(text, source) {
    const kept = this.read();
    if (!kept.some((one) => one.text === text)) this.write([...kept, { text, source }]);
  }

  show() {
    const kept = this.read();
    this.place.hidden = kept.length === 0;
    this.place.querySelector(".count").textContent = `(${kept.length})`;
    this.place.querySelector("ol").replaceChildren(
      ...kept.map((one) => {
        const entry = document.createElement("li");
        entry.textContent = one.text;
        return entry;
      }),
    );
  }

  save() {
    const text = this.read().map((one) => `${one.text}\n`).join("\n");
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "text/markdown" }));
    link.download = "quotations.md";
    link.click();
    URL.revokeObjectURL(link.href);
  }
}
