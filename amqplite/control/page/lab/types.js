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
 * @typedef {object} Message
 * @property {string} key  its id, or its label where it has none
 * @property {string} m label
 * @property {string} p publisher, "" if not known
 * @property {number} t when it was published; NaN if not known
 * @property {number} last number of the last event about it
 * @property {boolean} odd something happened to it that is worth a look
 * @property {number} entered when it came into a queue last
 * @property {number} copies queues that it came into then
 *
 * @typedef {object} Place  a message in one queue
 * @property {Message} message
 * @property {number} s its number there, in the order of publishing
 * @property {Box | null} wait
 * @property {Box | null} held
 * @property {Box | null} done the attempt that was acknowledged
 * @property {Box | null} kept what somebody downstream holds back
 * @property {boolean} free whether it was let go there
 * @property {number} attempts
 * @property {number} copy how many queues had the message before
 * @property {string} gone why it left without being acknowledged
 *
 * @typedef {object} Box  a message waits in a queue, or is held by a consumer
 * @property {string} key
 * @property {"waiting"|"requeued"|"held"|"failed"|"redelivered"|"work"|"buffered"} kind what it came to in the
 *   end; `work` is what a consumer does with a message that was acknowledged by being delivered,
 *   `buffered` is held back downstream until its turn
 * @property {string} lane
 * @property {string} queue lane of the queue it is about
 * @property {number} row −1: hidden, for want of room
 * @property {number} shown since when it has its row
 * @property {Message} message
 * @property {number} s
 * @property {number} copy of its message: how many queues had it before
 * @property {number} attempt 0: waits for the first
 * @property {number} from
 * @property {number} to
 * @property {number} n0 event it began with
 * @property {number} n1 event it ended with; Infinity while it has not
 * @property {"" | "delivered" | "acked" | "requeued" | "expired" | "dropped" | "dead_lettered" | "discarded" | "purged" | "applied" | "crashed"} end
 * @property {string} cause
 * @property {string} sub
 * @property {boolean} auto
 * @property {boolean} again the message had been handed out before
 * @property {number} work when work on it began, inferred where nobody says so; Infinity: never
 * @property {Annotation | null} order
 * @property {number} ring number of the event since which it counts as out of order; Infinity: it does not
 * @property {Box | null} before the wait that an attempt ended
 * @property {Box | null} next the wait after an attempt that failed
 * @property {number} [at]
 *
 * @typedef {object} Span  part of time on a lane
 * @property {number} from
 * @property {number} to
 * @property {number} n0
 * @property {number} n1
 * @property {string} why
 *
 * @typedef {object} Lane
 * @property {string} id `p:p1`, `q:q`, `x:dlx`, `c:c2`; `r:…` for who puts messages in order downstream
 * @property {"producer"|"queue"|"exchange"|"consumer"|"after"} kind
 * @property {string} name
 * @property {number} born
 * @property {boolean} early of a consumer: there before the first message
 * @property {string} conn
 * @property {number} ch
 * @property {import("./lanes.js").Rows} rows
 * @property {Map<number, Place>} places by number, of a queue
 * @property {Map<string, Place>} labels the latest place of each label
 * @property {Span[]} downs when the consumer was away, or the publisher blocked
 * @property {Span[]} quiet when it was dead and nobody knew
 * @property {{t: number, count: number}[]} depth messages that wait, from when on
 * @property {number} depthMax
 * @property {number} depthNow
 * @property {Set<Box>} holding what the consumer holds, oldest first
 * @property {number} lastAck when it last settled one
 * @property {boolean} marked whether it tells when it starts
 * @property {string} active of a queue: lane of its single active consumer
 *
 * @typedef {object} Point  something at one instant
 * @property {string} key
 * @property {string} kind its event's type, or `crash`
 * @property {string} lane
 * @property {number} t
 * @property {number} n
 * @property {Message | null} message
 * @property {string} c
 * @property {Box | null} box the attempt it happened to
 * @property {TraceEvent} event
 * @property {string} before lane of the consumer that was active until then
 *
 * @typedef {object} Selection
 * @property {string} [m] label of a message
 * @property {string} [c] name of a consumer
 * @property {number} [n] number of an event
 * @property {[string, string]} [pair] the one that overtook, and the one it overtook
 *
 * @typedef {object} Shape  an element to be drawn
 * @property {"rect"|"path"|"circle"|"text"} tag
 * @property {string} cls
 * @property {Record<string, string|number>} at  its attributes
 * @property {string} [text]
 *
 * @typedef {object} Mark  shapes that belong together
 * @property {string} key
 * @property {"grid"|"state"|"link"|"bar"|"label"|"fault"} layer
 * @property {string} cls
 * @property {Shape[]} shapes
 * @property {string} name  a sentence; "": not to be reached by keyboard
 * @property {string} lane
 * @property {number} t
 * @property {number[]} ns  events it shows
 * @property {string[]} ms  labels of messages
 * @property {string} c
 * @property {import("./labels.js").Rect} [hit]  where it is, if it can be reached
 *
 * @typedef {(key: string, slots?: Record<string, string|number>) => string} Text
 */

export {};
