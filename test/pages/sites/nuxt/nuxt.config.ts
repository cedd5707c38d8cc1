export default defineNuxtConfig({
  telemetry: false,
  compatibilityDate: "2026-01-01",
  app: {
    head: {
      title: "Harbour",
      script: [{ src: "http://foyer.invalid/widget.js", "data-agent-id": "agent_of_this_page", async: true }],
    },
  },
});
