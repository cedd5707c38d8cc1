// "Try it" calls the address that this page was opened at, which may be another name of the server than BASE_URL.
const serverUrl = new URL("../..", document.currentScript.src).href.replace(/\/$/, "");

window.Scalar.createApiReference("#reference", {
  url: `${serverUrl}/openapi.json`,
  baseServerURL: serverUrl,
  servers: [{ url: serverUrl }],
  theme: "none",
  layout: "modern",
  // The page has its own navigation and search, the same as the guides.
  showSidebar: false,
  hideSearch: true,
  hideDarkModeToggle: true,
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: "never",
  agent: { disabled: true },
  mcp: { disabled: true },
  documentDownloadType: "json",
  defaultOpenFirstTag: true,
  metaData: { title: "API reference · Foyer docs" },
});
