import { defineProvider } from "./provider.js";
export default defineProvider({
  names: ["cassette"],
  protocol: "a recording on disk (SPEC 2.12), replayed byte for byte",
  keyEnv: [],
  baseUrlEnv: [],
  defaultModel: null,
  async open() {
    throw new Error("not built yet");
  },
});
