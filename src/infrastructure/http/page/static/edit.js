// Edits of a paper, of which only what was changed is sent, and the undo of the last one.
import { canChange, reveal, send } from "./requests.js";

const form = document.querySelector("#edit-form");
const said = document.querySelector("#edit-said");
const authors = document.querySelector("#edit-authors");

function names() {
  const rows = [...authors.querySelectorAll("li")].map((row) =>
    [...row.querySelectorAll("input")].map((one) => one.value.trim()).filter(Boolean).join(", "));
  return rows.filter(Boolean).join("; ");
}

function changes(before) {
  const found = [...form.elements]
    .filter((one) => one.name && one.value !== before.get(one.name))
    .map((one) => `${one.name}=${one.value}`);
  if (names() !== before.get("author")) found.push(`author=${names()}`);
  return found;
}

if (form && canChange) {
  reveal("#edit");
  const before = new Map([...form.elements].filter((one) => one.name).map((one) => [one.name, one.value]));
  before.set("author", names());
  document.querySelector("#edit-add").addEventListener("click", () => {
    authors.append(document.querySelector("#edit-author").content.cloneNode(true));
    authors.lastElementChild.querySelector("input").focus();
  });
  authors.addEventListener("click", (event) => {
    if (event.target.matches("button")) event.target.closest("li").remove();
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const changed = changes(before);
    if (!changed.length) return (said.textContent = "Nothing is changed.");
    said.textContent = "Saving…";
    const force = Boolean(document.querySelector("#edit-force")?.checked);
    try {
      await send("POST", form.dataset.path, { changes: changed, force });
      location.reload();
    } catch (error) {
      said.textContent = error.message;
    }
  });
}

const undo = document.querySelector("#undo");
if (undo && canChange) {
  undo.hidden = false;
  undo.addEventListener("click", async () => {
    undo.disabled = true;
    try {
      await send("POST", undo.dataset.path);
      location.reload();
    } catch (error) {
      undo.textContent = error.message;
    }
  });
}
