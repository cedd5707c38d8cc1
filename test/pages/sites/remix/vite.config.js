import { vitePlugin as remix } from "@remix-run/dev";
import { defineConfig } from "vite";

// Packages that npm puts above this folder would otherwise find the other pages' React 19 there.
export default defineConfig({
  plugins: [remix()],
  resolve: { dedupe: ["react", "react-dom"] },
  ssr: { noExternal: true },
});
