/** Replaces each character by the one that Unicode folds it to, as the service does. Texts that differ only in case become equal. */
export declare function folded(text: string): string;
