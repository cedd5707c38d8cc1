const [talk, copy, copied, line] = ["talk", "copy", "copied", "line"].map((id) => document.getElementById(id));

talk.addEventListener("click", () => {
  // The widget may not be loaded yet. It processes this list once it is.
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
