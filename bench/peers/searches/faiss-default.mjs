// FAISS as it comes.
import { openFaiss } from './faiss.mjs';

export const name = 'faiss';
export const open = (setting) => openFaiss(setting, false);
