// Runs the app for Expo in a browser: its components with React Native for Web, and stand-ins for the modules of the phone.
import { createRoot } from "react-dom/client";
import { createElement } from "react";

// React Native has no Web Crypto. The stand-in for expo-crypto keeps it.
await import("expo-crypto");
Object.defineProperty(globalThis, "crypto", { value: undefined, writable: true });
const { default: App } = await import("../../expo/App");

createRoot(document.getElementById("root")).render(createElement(App));
