// Chats: kept from a question, asked in, named, deleted, restored, and rated.
import { reveal, send } from "./requests.js";

const chat = document.querySelector("#chat")?.dataset.chat;
const MOST = 12;

function said(form, work) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const status = form.querySelector('[role="status"]') ?? document.querySelector("#told");
    try {
      status.textContent = "";
      await work(event, (text) => (status.textContent = text));
    } catch (error) {
      status.textContent = error.message;
    }
  });
}

async function keep(button) {
  const { project, question, filters } = button.dataset;
  button.disabled = true;
  button.textContent = "Keeping…";
  try {
    const { id } = await send("POST", "chats", {});
    const message = { content: question, project, filters: JSON.parse(filters), queryMode: "simple" };
    await send("POST", `chats/${id}/messages`, { ...message, topK: MOST });
    const link = document.createElement("a");
    link.href = `/history?chat=${id}`;
    link.textContent = "Kept in history";
    link.className = "button";
    button.replaceWith(link);
    link.focus();
  } catch (error) {
    button.disabled = false;
    button.textContent = "Keep in history";
    document.querySelector("#told").textContent = error.message;
  }
}

async function change(button) {
  const { delete: gone, restore } = button.dataset;
  button.disabled = true;
  try {
    if (gone) await send("DELETE", `chats/${gone}`);
    else await send("POST", `chats/${restore}/restore`);
    location.assign("/history");
  } catch (error) {
    button.disabled = false;
    (document.querySelector("#history-said") ?? document.querySelector("#told")).textContent = error.message;
  }
}

reveal("#keep-question, [data-delete], [data-restore], #rename button, .feedback button, #ask-here button");
document.querySelector("#keep-question")?.addEventListener("click", (event) => keep(event.currentTarget));
for (const button of document.querySelectorAll("[data-delete], [data-restore]")) {
  button.addEventListener("click", () => change(button));
}
const rename = document.querySelector("#rename");
if (rename) {
  said(rename, async () => {
    await send("PATCH", `chats/${chat}`, { title: rename.elements.title.value });
    location.reload();
  });
}
const ask = document.querySelector("#ask-here");
if (ask) {
  said(ask, async (event, tell) => {
    tell("Searching…");
    const content = ask.elements.question.value;
    const asked = { content, project: ask.dataset.project, queryMode: "simple", topK: MOST };
    await send("POST", `chats/${chat}/messages`, asked);
    location.reload();
  });
}
for (const form of document.querySelectorAll(".feedback")) {
  said(form, async (event, tell) => {
    const text = form.elements.text.value.trim();
    const body = { rating: event.submitter.value };
    await send("POST", `messages/${form.dataset.message}/feedback`, text ? { ...body, feedbackText: text } : body);
    tell("Thank you. Saved with the answer.");
  });
}
