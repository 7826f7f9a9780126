// A paper: its relations, fetched beside the page, and its removal.
import { canChange, reveal, send } from "./requests.js";

const related = document.querySelector("#related");

async function relate() {
  const status = related.querySelector(".note");
  const link = status.querySelector("a");
  status.textContent = "Reading the reference lists of the project…";
  try {
    const answer = await fetch(related.dataset.url, { headers: { accept: "text/html" } });
    const other = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = other.querySelector("#related[data-done]");
    if (!fresh) throw new Error();
    related.replaceChildren(...fresh.childNodes);
  } catch {
    status.textContent = "This takes longer than usual. ";
    status.append(link);
  }
}

if (related && !related.dataset.done) relate();
const removal = document.querySelector("#remove");
if (removal && canChange) {
  reveal("#remove-open");
  const said = removal.querySelector("#remove-said");
  document.querySelector("#remove-open").addEventListener("click", () => removal.showModal());
  removal.querySelector("#remove-not").addEventListener("click", () => removal.close());
  removal.querySelector("#remove-now").addEventListener("click", async (event) => {
    const { path, after } = event.currentTarget.dataset;
    said.textContent = "Removing…";
    try {
      await send("DELETE", path);
      location.assign(after);
    } catch (error) {
      said.textContent = error.message;
    }
  });
}
