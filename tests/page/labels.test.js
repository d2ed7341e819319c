import assert from "node:assert/strict";
import test from "node:test";

import { fitting, Ground, lines, shortened, textWidth } from "../../amqplite/control/page/lab/labels.js";

test("letters are as wide as they are, Han ones widest", () => {
  assert.ok(textWidth("ill", 10) < textWidth("mmm", 10));
  assert.ok(textWidth("消费者", 10) >= 30);
  assert.ok(textWidth("m3", 10, true) > textWidth("m3", 10));
  assert.equal(textWidth("", 10), 0);
});

test("the first that fits", () => {
  assert.equal(fitting(["m3 waits 1.4", "m3"], 200, 14), "m3 waits 1.4");
  assert.equal(fitting(["m3 waits 1.4", "m3"], 40, 14), "m3");
  assert.equal(fitting(["m3 waits 1.4", "m3"], 5, 14), "");
});

test("what is too long ends in an ellipsis", () => {
  assert.equal(shortened("m3", 100, 14), "m3");
  const cut = shortened("order-2024-000017", 60, 14);
  assert.ok(cut.endsWith("…") && textWidth(cut, 14) <= 60);
  assert.equal(shortened("abc", 1, 14), "a…");
});

test("lines break at spaces, and between Han characters", () => {
  assert.deepEqual(lines("connection lost → m3 requeued", 1000, 12), ["connection lost → m3 requeued"]);
  const broken = lines("connection lost → m3 requeued", 100, 12);
  assert.ok(broken.length > 1 && broken.every((line) => textWidth(line, 12) <= 100));
  assert.equal(broken.join(" "), "connection lost → m3 requeued");
  assert.equal(lines("连接断开重新入队", 40, 12).join(""), "连接断开重新入队");
  assert.ok(lines("连接断开重新入队", 40, 12).length >= 3);
});

test("words go where nothing is, and take the place", () => {
  const ground = new Ground({ x: 0, y: 0, width: 100, height: 100 });
  ground.hard.push({ x: 0, y: 0, width: 50, height: 50 });
  const places = [{ x: 10, y: 10, width: 20, height: 20 }, { x: 60, y: 10, width: 20, height: 20 }];
  assert.equal(ground.put(places), 1);
  assert.equal(ground.put(places), -1);
  assert.equal(ground.put([{ x: 90, y: 90, width: 20, height: 5 }]), -1); // out of sight
});

test("words avoid arrows where they can, and cross them where they must", () => {
  const ground = new Ground({ x: 0, y: 0, width: 100, height: 100 });
  ground.soft.push({ x: 0, y: 0, width: 10, height: 100 });
  assert.equal(ground.put([{ x: 0, y: 0, width: 20, height: 10 }, { x: 20, y: 0, width: 20, height: 10 }]), 1);
  assert.equal(ground.put([{ x: 0, y: 20, width: 20, height: 10 }]), 0);
});
