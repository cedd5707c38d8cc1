const [talk, copy, copied, line] = ["talk", "copy", "copied", "line"].map((id) => document.getElementById(id));

talk.addEventListener("click", () => {
  // The widget may still be on its way; what waits in the list is done when it is there.
  window.Foyer ??= [];
  window.Foyer.push(["open"]);
});

copy.addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(line.innerText.trim());
    copied.textContent = "Copied";
  } catch {
    getSelection().selectAllChildren(line);
    copied.textContent = "Selected: copy it with the keyboard";
  }
});
