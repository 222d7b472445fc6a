//! Parses SteerBench case files.

mod element;

use std::borrow::Cow;
use std::io::Read;
use std::ops::RangeInclusive;
use std::path::Path;

use bevy::prelude::*;
use roxmltree::Document;

use crate::crowd::{Crowd, Dice, Place, TooCrowded};
use crate::error::excerpt;
use crate::{Case, Goal, ReadError, Shape};
use element::{Element, WORD, child, elements, is_random, tag, text_of};

/// Coordinates and sizes, m.
const COORDINATE: RangeInclusive<f32> = -Case::MAX_COORDINATE..=Case::MAX_COORDINATE;
/// Sizes of boxes, m.
const SIZE: RangeInclusive<f32> = 0.0..=Case::MAX_COORDINATE;
/// Angles, degrees.
const ANGLE: RangeInclusive<f32> = -3_600.0..=3_600.0;
/// Radii of walkers and obstacles, m.
const RADIUS: RangeInclusive<f32> = 0.001..=1_000.0;
/// Initial speeds, m/s.
const SPEED: RangeInclusive<f32> = 0.0..=100.0;
/// Preferred speeds, m/s.
const PACE: RangeInclusive<f32> = 0.001..=100.0;

/// The maximum number of XML attributes in a file. The time to parse them grows with their square.
const MAX_ATTRIBUTES: usize = 128;
/// The maximum number of unknown elements that warnings name.
const MAX_WARNINGS: usize = 20;
/// The longest reason of the XML parser in a message, characters.
const REASON: usize = 200;

/// Reads a case from a file; warnings name unknown elements.
///
/// # Errors
/// When the file cannot be read, and as [`read`].
pub fn read_file(path: &Path) -> Result<(Case, Vec<String>), ReadError> {
    let in_file = |error: ReadError| ReadError {
        file: Some(path.to_owned()),
        ..error
    };
    let mut bytes = Vec::new();
    // One byte over the limit shows that a file is too long without reading all of it.
    std::fs::File::open(path)
        .and_then(|file| {
            file.take(Case::MAX_BYTES as u64 + 1)
                .read_to_end(&mut bytes)
        })
        .map_err(|error| in_file(without_line(error.to_string())))?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let (case, warnings) = read(&name, &String::from_utf8_lossy(&bytes)).map_err(in_file)?;
    let warnings = warnings
        .into_iter()
        .map(|warning| format!("{}:{warning}", path.display()))
        .collect();
    Ok((case, warnings))
}

/// Reads a case from the text of a file; warnings name each unknown element once, with the line of
/// its first use, and at most twenty of them.
///
/// Random starts are drawn uniformly, one walker after the other. A start that touches an obstacle
/// or an earlier walker is drawn again; after a thousand draws the start with the most clearance is
/// taken. The same text gives the same starts.
///
/// # Errors
/// When the text is not XML, lacks a required element, has a number out of range, or exceeds a limit
/// of [`Case`]; the error names the line.
pub fn read(name: &str, text: &str) -> Result<(Case, Vec<String>), ReadError> {
    if text.len() > Case::MAX_BYTES {
        let most = Case::MAX_BYTES;
        return Err(without_line(format!(
            "the file is longer than {most} bytes"
        )));
    }
    let text = without_late_declaration(text);
    let attributes = attributes(&text);
    if attributes > MAX_ATTRIBUTES {
        let reason =
            format!("the file has {attributes} attributes, but at most {MAX_ATTRIBUTES} are read");
        return Err(without_line(reason));
    }
    let document = Document::parse(&text).map_err(|error| ReadError {
        file: None,
        line: Some(error.pos().row),
        reason: excerpt(&error.to_string(), REASON),
    })?;
    let mut reader = Reader {
        document: &document,
        unknown: Vec::new(),
        has_more_unknown: false,
    };
    let case = reader.case(name)?;
    Ok((case, reader.warnings()))
}

fn without_line(reason: String) -> ReadError {
    ReadError {
        file: None,
        line: None,
        reason,
    }
}

/// The number of quoted values after an equals sign, in tags or elsewhere.
fn attributes(text: &str) -> usize {
    let values = text.split('=').skip(1);
    values
        .filter(|value| value.trim_start().starts_with(['"', '\'']))
        .count()
}

/// Removes an XML declaration that follows a comment: some files have one, which XML forbids. Line
/// numbers stay the same.
fn without_late_declaration(text: &str) -> Cow<'_, str> {
    let text = text.trim_start_matches('\u{feff}');
    match (text.find("<?xml"), text.find("<SteerBench")) {
        (Some(at), Some(root)) if at > 0 && at < root => {
            let end = text[at..].find("?>").map_or(at, |length| at + length + 2);
            format!("{}{}", &text[..at], &text[end..]).into()
        }
        _ => text.into(),
    }
}

struct Reader<'a> {
    document: &'a Document<'a>,
    /// The first element of each unknown name.
    unknown: Vec<Element<'a>>,
    has_more_unknown: bool,
}

/// The walkers that an element describes.
struct Group<'a> {
    element: Element<'a>,
    count: usize,
    /// The region of an `agentRegion`.
    area: Option<Rect>,
}

impl<'a> Reader<'a> {
    fn case(&mut self, name: &str) -> Result<Case, ReadError> {
        let root = self.root()?;
        let mut case = Case::named(name);
        let mut groups = Vec::new();
        for element in elements(root) {
            self.part(element, &mut case, &mut groups)?;
            let obstacles = case.obstacles.len();
            self.limit(element, "obstacles", obstacles, Case::MAX_OBSTACLES)?;
        }
        // Walkers are placed last: obstacles that they must not touch may follow them in the file.
        self.place(groups, &mut case)?;
        let overlaps = case.overlaps(Case::MAX_OVERLAPS);
        let things = "pairs of walkers that overlap at the start";
        self.limit(root, things, overlaps, Case::MAX_OVERLAPS)?;
        Ok(case)
    }

    fn root(&self) -> Result<Element<'a>, ReadError> {
        let root = self.document.root_element();
        if root.tag_name().name() == "SteerBenchTestCase" {
            return Ok(root);
        }
        let reason = format!("the root is {}, not <SteerBenchTestCase>", tag(root));
        Err(self.error(root, reason))
    }

    /// Reads a child of the root: bounds and obstacles into the case, walkers into groups to place later.
    fn part(
        &mut self,
        element: Element<'a>,
        case: &mut Case,
        groups: &mut Vec<Group<'a>>,
    ) -> Result<(), ReadError> {
        match element.tag_name().name() {
            "header" => {
                if let Some(bounds) = child(element, "worldBounds") {
                    case.bounds = self.area(bounds)?;
                }
            }
            "suggestedCameraView" => {}
            "obstacle" => case.obstacles.push(Shape::block(self.area(element)?)),
            "circleObstacle" => case.obstacles.push(self.disc(element)?),
            "orientedBoxObstacle" => case.obstacles.push(self.turned_block(element)?),
            "agent" => groups.push(self.agent(element)),
            "agentRegion" => groups.push(self.agent_region(element)?),
            _ => self.skip(element),
        }
        Ok(())
    }

    fn disc(&self, element: Element<'a>) -> Result<Shape, ReadError> {
        Ok(Shape::Disc {
            center: self.point(self.need(element, "position")?)?,
            radius: self.number(element, "radius", RADIUS)?,
        })
    }

    fn turned_block(&self, element: Element<'a>) -> Result<Shape, ReadError> {
        let center = self.point(self.need(element, "position")?)?;
        let size = self.point_within(self.need(element, "size")?, SIZE)?;
        // A turn about the axis that points up takes z towards x.
        let angle = -self.number(element, "thetaY", ANGLE)?.to_radians();
        Ok(Shape::turned_block(center, size, angle))
    }

    fn agent(&mut self, element: Element<'a>) -> Group<'a> {
        self.knows(element, &["name", "initialConditions", "goalSequence"]);
        Group {
            element,
            count: 1,
            area: None,
        }
    }

    fn agent_region(&mut self, element: Element<'a>) -> Result<Group<'a>, ReadError> {
        self.knows(
            element,
            &[
                "numAgents",
                "regionBounds",
                "initialConditions",
                "goalSequence",
            ],
        );
        Ok(Group {
            element,
            count: self.count(element, "numAgents", Case::MAX_WALKERS)?,
            area: Some(self.area(self.need(element, "regionBounds")?)?),
        })
    }

    /// Draws the walkers of each group, one after the other.
    fn place(&mut self, groups: Vec<Group<'a>>, case: &mut Case) -> Result<(), ReadError> {
        let (mut dice, mut goals) = (Dice::new(), 0);
        for Group {
            element,
            count,
            area,
        } in groups
        {
            let walkers = case.walkers.len() + count;
            self.limit(element, "walkers", walkers, Case::MAX_WALKERS)?;
            if count == 0 {
                continue;
            }
            let crowd = self.crowd(element, area, case)?;
            goals += count * crowd.goals.len();
            self.limit(element, "goals of walkers", goals, Case::MAX_GOALS)?;
            for _ in 0..count {
                let walker = dice
                    .walker(&crowd, case)
                    .map_err(|TooCrowded| self.too_crowded(element, case))?;
                case.walkers.push(walker);
            }
        }
        Ok(())
    }

    fn too_crowded(&self, element: Element<'a>, case: &Case) -> ReadError {
        let (of, most) = (case.walkers.len(), Case::MAX_PLACING_STEPS);
        let reason = format!(
            "random places after {of} walkers need more than {most} steps; have fewer walkers or a \
             larger region"
        );
        self.error(element, reason)
    }

    fn crowd(
        &mut self,
        element: Element<'a>,
        area: Option<Rect>,
        case: &Case,
    ) -> Result<Crowd, ReadError> {
        let start = self.need(element, "initialConditions")?;
        self.knows(
            start,
            &["name", "position", "direction", "radius", "speed", "color"],
        );
        let radius = self.number(start, "radius", RADIUS)?;
        let speed = self.number(start, "speed", SPEED)?;
        let heading = match child(start, "direction") {
            Some(direction) if !is_random(direction) => {
                Some(self.point(direction)?.normalize_or(Vec2::X))
            }
            _ => None,
        };
        let start = match (area, child(start, "position")) {
            (Some(area), _) => Place::Anywhere(area),
            (None, Some(position)) if is_random(position) => Place::Anywhere(case.bounds),
            (None, _) => Place::At(self.point(self.need(start, "position")?)?),
        };
        let mut goals = Vec::new();
        for goal in elements(self.need(element, "goalSequence")?) {
            match goal.tag_name().name() {
                "seekStaticTarget" | "seekAxisAlignedBoxRegion" => {
                    goals.push(self.goal(goal, case)?);
                }
                _ => self.skip(goal),
            }
        }
        if goals.is_empty() {
            return Err(self.error(element, "has no known goal".into()));
        }
        Ok(Crowd {
            start,
            heading,
            speed,
            radius,
            goals,
        })
    }

    fn goal(&mut self, element: Element<'a>, case: &Case) -> Result<(Place, Goal), ReadError> {
        // Some of these only concern the suite's own steering: its algorithm, its time limit.
        self.knows(
            element,
            &[
                "targetLocation",
                "desiredSpeed",
                "goalRegionBounds",
                "timeDuration",
                "targetDirection",
                "targetTangent",
                "targetTime",
                "flowType",
                "random",
                "Behaviour",
                "state",
            ],
        );
        let location = child(element, "targetLocation");
        let area = match child(element, "goalRegionBounds") {
            Some(bounds) => Some(self.area(bounds)?),
            None => None,
        };
        let random = is_random(element) || location.is_some_and(is_random);
        let place = match (location, area) {
            _ if random => Place::Anywhere(area.unwrap_or(case.bounds)),
            (Some(location), _) => Place::At(self.point(location)?),
            (None, Some(area)) => Place::At(area.center()),
            (None, None) => Place::At(self.point(self.need(element, "targetLocation")?)?),
        };
        let goal = Goal {
            target: Vec2::ZERO,
            area,
            pace: self.number(element, "desiredSpeed", PACE)?,
        };
        Ok((place, goal))
    }

    /// A box in the ground plane: x and z.
    fn area(&self, element: Element<'a>) -> Result<Rect, ReadError> {
        let number = |name| self.number(element, name, COORDINATE);
        let corner = Vec2::new(number("xmin")?, number("zmin")?);
        Ok(Rect::from_corners(
            corner,
            Vec2::new(number("xmax")?, number("zmax")?),
        ))
    }

    /// A point in the ground plane: x and z.
    fn point(&self, element: Element<'a>) -> Result<Vec2, ReadError> {
        self.point_within(element, COORDINATE)
    }

    fn point_within(
        &self,
        element: Element<'a>,
        valid: RangeInclusive<f32>,
    ) -> Result<Vec2, ReadError> {
        let number = |name| self.number(element, name, valid.clone());
        Ok(Vec2::new(number("x")?, number("z")?))
    }

    fn number(
        &self,
        element: Element<'a>,
        name: &str,
        valid: RangeInclusive<f32>,
    ) -> Result<f32, ReadError> {
        let node = self.need(element, name)?;
        let text = text_of(node);
        let text = text.trim();
        let shown = || excerpt(text, WORD);
        match text.parse::<f32>() {
            Ok(number) if valid.contains(&number) => Ok(number),
            Ok(number) if number.is_finite() => {
                let (least, most) = valid.into_inner();
                let reason = format!("<{name}> is {}, but must be {least} to {most}", shown());
                Err(self.error(node, reason))
            }
            _ => Err(self.error(node, format!("<{name}> is \"{}\", not a number", shown()))),
        }
    }

    fn count(&self, element: Element<'a>, name: &str, most: usize) -> Result<usize, ReadError> {
        let number = self.number(element, name, 0.0..=most as f32)?;
        if number.fract() == 0.0 {
            return Ok(number as usize);
        }
        let node = self.need(element, name)?;
        Err(self.error(node, format!("<{name}> is {number}, not a whole number")))
    }

    /// An error if there are more things than the limit.
    fn limit(
        &self,
        element: Element<'a>,
        things: &str,
        count: usize,
        most: usize,
    ) -> Result<(), ReadError> {
        if count <= most {
            return Ok(());
        }
        let reason = format!("{count} {things} are too many; a case has at most {most}");
        Err(self.error(element, reason))
    }

    fn need(&self, element: Element<'a>, name: &str) -> Result<Element<'a>, ReadError> {
        child(element, name)
            .ok_or_else(|| self.error(element, format!("{} lacks its <{name}>", tag(element))))
    }

    /// Warns of children with other names.
    fn knows(&mut self, element: Element<'a>, names: &[&str]) {
        for part in elements(element) {
            if !names.contains(&part.tag_name().name()) {
                self.skip(part);
            }
        }
    }

    fn skip(&mut self, element: Element<'a>) {
        let name = element.tag_name().name();
        let mut known = self.unknown.iter().map(|known| known.tag_name().name());
        if known.any(|known| known == name) {
            return;
        }
        if self.unknown.len() < MAX_WARNINGS {
            self.unknown.push(element);
        } else {
            self.has_more_unknown = true;
        }
    }

    fn warnings(&self) -> Vec<String> {
        let unknown = self.unknown.iter().map(|&element| {
            let (line, tag) = (self.line(element), tag(element));
            format!("{line}: {tag} is unknown and ignored")
        });
        let more = self.has_more_unknown.then(|| {
            let line = self.unknown.last().map_or(1, |&element| self.line(element));
            format!("{line}: more unknown elements follow and are ignored")
        });
        unknown.chain(more).collect()
    }

    fn line(&self, element: Element<'a>) -> u32 {
        self.document.text_pos_at(element.range().start).row
    }

    fn error(&self, element: Element<'a>, reason: String) -> ReadError {
        ReadError {
            file: None,
            line: Some(self.line(element)),
            reason,
        }
    }
}

#[cfg(test)]
mod tests;
