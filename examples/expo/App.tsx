import AsyncStorage from "@react-native-async-storage/async-storage";
import { createClient, storageStore } from "@steward/sdk/client";
import { StewardProvider, useItems, useSession } from "@steward/sdk/react";
import * as Crypto from "expo-crypto";
import { openAuthSessionAsync } from "expo-web-browser";
import { useState } from "react";
import { Button, ScrollView, Switch, Text, TextInput, View } from "react-native";
import steward from "./steward.json";
import type { Tables } from "./tables";

declare module "@steward/sdk/react" {
  interface Register { tables: Tables }
}

// React Native has no Web Crypto, with which the sign-in is protected.
globalThis.crypto ??= { getRandomValues: Crypto.getRandomValues, subtle: { digest: Crypto.digest } } as unknown as typeof crypto;

const redirectUri = "com.example.notes:/sign-in";
const client = createClient<Tables>({
  url: steward.server,
  projectId: steward.project,
  redirectUri,
  storage: AsyncStorage,
  localStore: storageStore(AsyncStorage),
  openSignIn: async (url) => {
    const result = await openAuthSessionAsync(url, redirectUri);
    return result.type === "success" ? result.url : undefined;
  },
});

export default () => <StewardProvider client={client}><Notes /></StewardProvider>;

function Notes() {
  const { session, error, signIn, signOut } = useSession();
  const { items, create, patch } = useItems("notes", { order: "title" });
  const [title, setTitle] = useState("");
  const add = () => title && create({ title, done: false }).then(() => setTitle(""));
  return (
    <ScrollView contentContainerStyle={{ gap: 12, padding: 48 }}>
      <Text role="heading">Notes</Text>
      {session.status !== "signedIn" ? <Button title="Sign in" onPress={() => signIn()} /> : (
        <>
          <TextInput aria-label="Title" value={title} onChangeText={setTitle} onSubmitEditing={add} />
          <Button title="Add" onPress={add} />
          {items.map(({ id, title, done }) => (
            <View key={id} role="listitem" style={{ flexDirection: "row", gap: 12 }}>
              <Switch aria-label={title} value={done ?? false} onValueChange={(done) => patch(id, { done })} />
              <Text>{title}</Text>
            </View>
          ))}
          <Button title="Sign out" onPress={() => signOut()} />
        </>
      )}
      {error && <Text role="alert">{error.message}</Text>}
    </ScrollView>
  );
}
