// "Try it" calls the address that this page was opened at, which may be another name of the server than BASE_URL.
window.Scalar.createApiReference("#reference", {
  url: "/openapi.json",
  baseServerURL: window.location.origin,
  servers: [{ url: window.location.origin }],
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
