/** How many changes wait for the service at most. It rejects what exceeds this in one message, too. */
export declare const MAX_PENDING = 50000;
