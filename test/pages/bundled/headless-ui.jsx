import { Dialog, DialogPanel, DialogTitle } from "@headlessui/react";
import { renderRoutes } from "./router-page.jsx";

renderRoutes(() => (
  <Dialog open onClose={() => {}}>
    <DialogPanel>
      <DialogTitle>Sizes</DialogTitle>
      <input id="inner" aria-label="Size" />
    </DialogPanel>
  </Dialog>
));
