/** A group of operations. */
export declare class Resource {
    #private;
}
