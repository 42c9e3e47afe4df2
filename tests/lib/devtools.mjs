// What DevTools shows of a trace: `NAME,NS` a function, its own time.
//
//     node devtools.mjs PATH/TO/node_modules/@paulirish/trace_engine FILE
//
// trace_engine is DevTools' own importer, as it is published on npm.
import fs from 'node:fs';
import path from 'node:path';

const [engine, file] = process.argv.slice(2);
const samples = await import(
	path.resolve(engine, 'models/trace/handlers/SamplesHandler.js'));

samples.reset();
for (const event of JSON.parse(fs.readFileSync(file, 'utf8')).traceEvents)
	samples.handleEvent(event);
await samples.finalize({isCPUProfile: true});

const self = new Map();
const {profilesInProcess, entryToNode} = samples.data();
for (const threads of profilesInProcess.values())
	for (const thread of threads.values())
		for (const call of thread.profileCalls) {
			const name = call.callFrame.functionName;
			const us = entryToNode.get(call).selfTime || 0;
			self.set(name, (self.get(name) || 0) + us * 1000);
		}
for (const [name, ns] of self)
	if (Math.round(ns) && name !== '(root)' && name !== '(idle)')
		console.log(`${name},${Math.round(ns)}`);
