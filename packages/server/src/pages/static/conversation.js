document.getElementById("open").addEventListener("click", () => {
  // The widget may not be loaded yet. It processes this list once it is.
  window.Foyer ??= [];
  window.Foyer.push(["open"]);
});
