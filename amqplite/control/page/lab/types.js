// @ts-check
/**
 * Shapes of what the modules hand each other. Times are integer microseconds since the trace's
 * origin; `to: Infinity` is something that has not ended yet.
 *
 * @typedef {object} Header  first line of a trace file
 * @property {string} [name]
 * @property {string} [scenario]
 * @property {"exact"|"real"|"live"|"imported"|"simulated"} [mode]
 * @property {number} tick_us  microseconds of one unit that people see
 * @property {{v?: string, q: string, arguments?: object}[]} [queues]
 *
 * @typedef {object} Annotation  of an `acked` event: what the meter found
 * @property {number} [inv] how many overtook it
 * @property {number} [late] microseconds since the first of them
 * @property {number} [disp]
 * @property {string[]} [over] labels of up to five of them
 * @property {string} [cause]
 *
 * @typedef {object} TraceEvent  an event as it stands in a trace; absent: default
 * @property {number} n
 * @property {number} t
 * @property {string} type
 * @property {string} [v]
 * @property {string} [q]
 * @property {string} [m]
 * @property {number} [id]
 * @property {number} [s]
 * @property {string} [c]
 * @property {string} [p]
 * @property {string} [conn]
 * @property {number} [ch]
 * @property {number} [attempt]
 * @property {number} [prio]
 * @property {string} [key]
 * @property {string} [cause]
 * @property {string} [sub]
 * @property {boolean} [redelivered]
 * @property {boolean} [auto]
 * @property {boolean} [requeue]
 * @property {boolean} [get]
 * @property {string} [exchange]
 * @property {number} [idle]
 * @property {string} [by]
 * @property {string} [text]
 * @property {number} [lost_from]
 * @property {number} [lost_to]
 * @property {Annotation} [order]
 *
 * @typedef {object} Selection
 * @property {string} [m] label of a message
 * @property {string} [c] name of a consumer
 * @property {number} [n] number of an event
 * @property {[string, string]} [pair] the one that overtook, and the one it overtook
 *
 * @typedef {(key: string, slots?: Record<string, string|number>) => string} Text
 */

export {};
