// Passages and pages without reloading, keys, copying, the basket.
import { Basket } from "./basket.js";
import { reveal } from "./requests.js";

const ZOOMS = [0.75, 1, 1.25, 1.5, 2, 3];
const one = (selector) => document.querySelector(selector);
let zoom = 1;
let asked = 0;

function tell(text) {
  const told = one("#told");
  told.textContent = text;
  clearTimeout(tell.timer);
  tell.timer = setTimeout(() => (told.textContent = ""), 2500);
}

// ``note`` is what is to be known of the words before they are used.
async function copy(text, note) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    if (!done) return tell("The browser does not allow copying");
  }
  tell(`Copied${note ? `, ${note}` : ""}: ${text.length > 60 ? text.slice(0, 60) + "…" : text}`);
}

// Another passage or page: only what differs is replaced.
async function show(url, remember = true) {
  const turn = ++asked;
  const reader = one("#page");
  reader.setAttribute("aria-busy", "true");
  let text;
  try {
    const answer = await fetch(url, { headers: { accept: "text/html" } });
    if (!answer.ok) throw new Error(answer.statusText);
    text = await answer.text();
  } catch {
    location.assign(url);
    return;
  }
  if (turn !== asked) return;
  const other = new DOMParser().parseFromString(text, "text/html");
  const fresh = other.querySelector("#page");
  if (!fresh) return location.assign(url);
  reader.replaceWith(fresh);
  choose(other, url);
  if (remember) history.pushState({}, "", url.replace(/#.*/, ""));
  ready();
  if (matchMedia("(max-width: 56rem)").matches) fresh.scrollIntoView();
  tell(fresh.querySelector(".bar h2, h2")?.textContent ?? "");
}

// What is chosen in the list is what is chosen in the other document.
function choose(other, url) {
  const chosen = other.querySelector(".hit.chosen")?.id;
  for (const hit of document.querySelectorAll(".hit")) {
    const is = hit.id === chosen;
    hit.classList.toggle("chosen", is);
    const link = hit.querySelector(".open");
    if (is) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
    if (is) hit.scrollIntoView({ block: "nearest" });
  }
  for (const verdict of document.querySelectorAll(".verdict")) {
    const is = other.querySelector(".verdict[aria-current]")?.getAttribute("href") === verdict.getAttribute("href");
    verdict.toggleAttribute("aria-current", is);
    if (is) verdict.setAttribute("aria-current", "true");
  }
  for (const link of document.querySelectorAll(".contents a.open")) {
    if (link.href.split("#")[0] === new URL(url, location.href).href.split("#")[0]) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
  for (const claim of document.querySelectorAll(".claim")) {
    let after = claim.nextElementSibling;
    while (after?.matches(".verdict:not([aria-current])")) after = after.nextElementSibling;
    claim.classList.toggle("chosen", Boolean(after?.matches(".verdict")));
  }
}

function ready() {
  reveal("button[data-copy], button[data-zoom], button[data-keep], #help-open");
  applyZoom();
  const box = one(".scroll");
  const mark = one(".marks rect");
  if (box && mark) {
    const top = mark.getBoundingClientRect().top - box.getBoundingClientRect().top;
    box.scrollTop += top - box.clientHeight / 3;
  }
}

function applyZoom() {
  one(".sheet")?.style.setProperty("--zoom", String(zoom));
}

function step(by) {
  const links = [...document.querySelectorAll(".hits a.open")];
  const now = links.findIndex((link) => link.hasAttribute("aria-current"));
  const next = links[now + by];
  if (next) {
    next.focus({ preventScroll: true });
    show(next.getAttribute("href"));
  }
}

function press(key) {
  const target = one(`#page [data-key="${key}"]`);
  if (target) target.click();
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("a.open, #page a[rel]");
  if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey && event.button === 0 && one("#page")) {
    event.preventDefault();
    show(link.getAttribute("href"));
    return;
  }
  const button = event.target.closest("button");
  if (!button) return;
  if (button.dataset.copy) copy(button.dataset.copy, button.dataset.note);
  if (button.dataset.keep) {
    const { source, project, words, citation, note } = button.dataset;
    basket.keep(button.dataset.keep, { source, project, words, citation, note });
    tell(`Kept in the basket${note ? `, ${note}` : ""}`);
  }
  if (button.dataset.zoom) {
    const place = ZOOMS.indexOf(zoom) + Number(button.dataset.zoom);
    zoom = ZOOMS[Math.min(ZOOMS.length - 1, Math.max(0, place))];
    applyZoom();
  }
  if (button.id === "help-open") one("#help").showModal();
});

// Menus close where they are left.
document.addEventListener("pointerdown", (event) => {
  for (const menu of document.querySelectorAll(".menu[open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});

function closeMenu() {
  const menu = one(".menu[open]");
  if (!menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || one("dialog[open]")) return;
  if (event.target.matches("input, select, textarea")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const keys = {
    Escape: closeMenu,
    "/": () => one("#question")?.select(),
    "?": () => one("#help").showModal(),
    j: () => step(1),
    k: () => step(-1),
    n: () => press("n"),
    p: () => press("p"),
    c: () => press("c"),
    b: () => press("b"),
    "+": () => one('[data-zoom="1"]')?.click(),
    "-": () => one('[data-zoom="-1"]')?.click(),
  };
  if (keys[event.key]) {
    event.preventDefault();
    keys[event.key]();
  }
});

window.addEventListener("popstate", () => show(location.href, false));
const basket = new Basket(one("#basket"), tell);
one('form.ask select[name="project"]')?.addEventListener("change", (event) => event.target.form.requestSubmit());
ready();
