import { fileURLToPath } from "node:url";

const at = (file) => fileURLToPath(new URL(file, import.meta.url));

export default {
  resolve: {
    alias: {
      "@react-native-async-storage/async-storage": at("async-storage.js"),
      "expo-crypto": at("expo-crypto.js"),
      "expo-web-browser": at("expo-web-browser.js"),
      "react-native": "react-native-web",
    },
  },
  server: { fs: { allow: [at("../..")] } },
};
